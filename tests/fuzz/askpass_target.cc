#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"
#include "fuzz/target.h"
#include "link/askpass_message.h"

// What a process says that comes to the broker's socket as ssh's helper, or says that it does.
namespace yonder::fuzz {
namespace {

constexpr std::size_t kMost = 32768;  // fits into a socket at once

struct Sockets {
  Fd ours;
  Fd theirs;
};

Sockets sockets_with(std::string_view bytes) {
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0,
          "sockets can be made");
  Sockets sockets{Fd(ends[0]), Fd(ends[1])};
  bytes = bytes.substr(0, kMost);
  require(::send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
              static_cast<ssize_t>(bytes.size()),
          "they take this much");
  ::shutdown(ends[1], SHUT_WR);
  return sockets;
}

void askpass(std::string_view bytes) {
  const auto patience = [] { return Deadline::after(std::chrono::seconds(60)); };
  const Sockets request = sockets_with(bytes);
  if (const auto asked = link::receive_request(request.ours, patience())) {
    require(asked->token.size() + asked->hint.size() + asked->prompt.size() <= bytes.size(),
            "nothing of a request is made up");
    const Sockets again = sockets_with("");
    require(link::send_request(again.ours, *asked, patience()).has_value(), "it can be sent");
    const auto back = link::receive_request(again.theirs, patience());
    require(back && back->token == asked->token && back->hint == asked->hint, "as it was");
  }
  const Sockets answer = sockets_with(bytes);
  const auto given = link::receive_answer(answer.ours, patience());
  require(!given || (bytes.starts_with('A') && given->reveal().size() < bytes.size()),
          "only an answer is one");
}

const Registered kAskpass("askpass", askpass);

}  // namespace
}  // namespace yonder::fuzz
