#include "e2e/yonder_at_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "e2e/mcp_client.h"
#include "e2e/program.h"
#include "lab/wait.h"

namespace yonder::e2e {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

YonderAtTerminal::YonderAtTerminal(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& environment) {
  std::vector<std::string> words{yonder_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment;
  const auto argv = pointers_to(words);
  const auto environ = pointers_to(variables);
  int terminal = -1;
  pid_ = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid_ == 0) {
    ::execve(argv[0], argv.data(), environ.data());
    ::_exit(127);
  }
  if (pid_ < 0) throw std::runtime_error("forkpty");
  terminal_ = Fd(terminal);
  ::fcntl(terminal_.get(), F_SETFD, FD_CLOEXEC);
}

YonderAtTerminal::~YonderAtTerminal() {
  if (status_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

// False at the end, which a terminal shows as an error, or when our patience is over.
bool YonderAtTerminal::read_more(const Deadline& deadline) {
  pollfd ready{terminal_.get(), POLLIN, 0};
  if (::poll(&ready, 1, deadline.poll_timeout()) <= 0) return false;
  std::array<char, 4096> buffer{};
  const auto n = read_some(terminal_, buffer.data(), buffer.size());
  if (!n || *n == 0) return false;
  screen_.append(buffer.data(), *n);
  return true;
}

bool YonderAtTerminal::shows(std::string_view text) {
  const Deadline deadline = patience();
  while (true) {
    const std::size_t found = screen_.find(text, looked_at_);
    if (found != std::string::npos) {
      looked_at_ = found + text.size();
      return true;
    }
    if (!read_more(deadline)) return false;
  }
}

void YonderAtTerminal::type(std::string_view keys) {
  const auto typed = write_all(terminal_, keys, patience());
  if (!typed) throw std::runtime_error(typed.error().message);
}

ExitStatus YonderAtTerminal::finish() {
  const Deadline deadline = patience();
  while (read_more(deadline)) {
  }
  int raw = 0;
  const bool ended =
      lab::eventually([&] { return ::waitpid(pid_, &raw, WNOHANG) == pid_; }, deadline);
  if (!ended) return {.code = -1};
  status_ = WIFSIGNALED(raw) ? ExitStatus{.signaled = true, .code = WTERMSIG(raw)}
                             : ExitStatus{.signaled = false, .code = WEXITSTATUS(raw)};
  return *status_;
}

}  // namespace yonder::e2e
