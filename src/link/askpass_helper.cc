#include <unistd.h>

#include "base/environment.h"
#include "link/askpass_broker.h"
#include "link/askpass_message.h"
#include "link/askpass_socket.h"

namespace yonder::link {
namespace {

// Longer than the broker waits for anybody: it is the one that gives up first.
constexpr auto kReplyLimit = std::chrono::minutes(10);

Result<Secret> ask_broker(const std::string& socket, const AskpassRequest& request) {
  const auto deadline = Deadline::after(kReplyLimit);
  TRY_ASSIGN(const Fd connection, connect_to(socket));
  TRY(send_request(connection, request, deadline));
  return receive_answer(connection, deadline);
}

Result<void> print(const Secret& answer) {
  TRY_ASSIGN(const Fd out, duplicate(STDOUT_FILENO));
  TRY(write_all(out, answer.reveal()));
  return write_all(out, "\n");
}

}  // namespace

std::optional<int> run_as_askpass(int argc, char** argv) {
  const std::string socket = environment(kSocketVariable);
  // ssh gives exactly one argument, the prompt.
  if (socket.empty() || argc != 2) return std::nullopt;
  const auto answer = ask_broker(socket, {.token = environment(kTokenVariable),
                                          .hint = environment("SSH_ASKPASS_PROMPT"),
                                          .prompt = argv[1]});
  return answer && print(*answer) ? 0 : 1;
}

}  // namespace yonder::link
