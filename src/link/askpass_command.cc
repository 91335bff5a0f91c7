#include "link/askpass_command.h"

#include <poll.h>
#include <signal.h>

#include <array>

#include "base/child_environment.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace yonder::link {
namespace {

constexpr std::size_t kMaxOutput = 16384;

Error failed(std::string_view why) {
  return {Errc::AuthNeeded, concat("password_command ", why), ""};
}

// Its own session is its own process group, so whatever the shell started ends too.
void kill_group(const Subprocess& child) {
  ::kill(-child.pid(), SIGKILL);
}

struct Piece {
  std::array<char, 1024> bytes{};
  std::size_t size = 0;
};
Result<Piece> read_piece(const Fd& from) {
  Piece piece;
  TRY_ASSIGN(piece.size, read_some(from, piece.bytes.data(), piece.bytes.size()));
  return piece;
}

// Collects the output until its end. Errors are read and dropped, lest the program block on them.
Result<void> collect(Subprocess& child, std::string& out, const Fd& cancelled,
                     const Deadline& deadline) {
  while (child.output()) {
    std::array<pollfd, 3> fds{pollfd{child.output().get(), POLLIN, 0},
                              pollfd{child.errors().get(), POLLIN, 0},
                              pollfd{cancelled.get(), POLLIN, 0}};
    const int ready = ::poll(fds.data(), fds.size(), deadline.poll_timeout());
    if (ready == 0) return failed("did not end in time");
    if (fds[2].revents != 0) return failed("is not needed any more");
    if (fds[1].revents != 0) {
      TRY_ASSIGN(const Piece piece, read_piece(child.errors()));
      if (piece.size == 0) child.errors().reset();
    }
    if (fds[0].revents != 0) {
      TRY_ASSIGN(const Piece piece, read_piece(child.output()));
      if (piece.size == 0) child.output().reset();
      if (out.size() + piece.size > kMaxOutput) return failed("printed too much");
      out.append(piece.bytes.data(), piece.size);
    }
  }
  return {};
}

}  // namespace

Result<Secret> run_password_command(const std::string& command,
                                    const std::vector<std::string>& environment,
                                    const Patience& patience) {
  TRY_ASSIGN(const Pipe wake, make_pipe());
  const auto registration = patience.cancel.on_cancel(
      [&] { [[maybe_unused]] const auto result = write_all(wake.write, "x"); });
  TRY_ASSIGN(Subprocess child, Subprocess::spawn({.argv = {"sh", "-c", command},
                                                  .environment = without_secrets(environment)}));
  child.input().reset();
  std::string out;
  out.reserve(kMaxOutput);
  auto collected = collect(child, out, wake.read, patience.deadline);
  const Secret all(std::move(out));  // wiped with this scope
  if (!collected) {
    kill_group(child);
    return std::move(collected).error();
  }
  const auto status = child.wait(patience.deadline);
  if (!status) {
    kill_group(child);
    return failed("did not end in time");
  }
  if (!status->success()) {
    return failed(
        concat(status->signaled ? "was ended by signal " : "ended with code ", status->code));
  }
  const std::string_view text = all.reveal();
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return failed("printed nothing");
  return Secret(std::string(line));
}

}  // namespace yonder::link
