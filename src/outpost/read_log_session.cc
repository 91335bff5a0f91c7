#include "outpost/read_log_session.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/subprocess.h"
#include "base/text.h"
#include "outpost/command.h"
#include "outpost/detach.h"
#include "outpost/tmux.h"

namespace yonder::outpost {
namespace {

constexpr auto kPatience = std::chrono::seconds(3);
constexpr std::size_t kMostNames = 1024UL * 1024;

// In words that are the same in every language. Without TMUX: from inside somebody's tmux and from
// outside the same server is meant.
std::vector<std::string> plain_environment() {
  std::vector<std::string> kept;
  for (auto& entry : current_environment()) {
    const bool unwanted = entry.starts_with("TMUX=") || entry.starts_with("TMUX_PANE=") ||
                          entry.starts_with("LC_ALL=");
    if (!unwanted) kept.push_back(std::move(entry));
  }
  kept.emplace_back("LC_ALL=C.UTF-8");
  return kept;
}

char ask(const std::string& tmux, const std::string& name) {
  // All of them: a target would have to be written in a way that depends on the version of tmux,
  // and some versions take a beginning for the whole.
  const auto said = run_captured({.argv = {tmux, "list-sessions", "-F", "#{session_name}"},
                                  .environment = plain_environment()},
                                 "", kMostNames, Deadline::after(kPatience));
  if (!said) return '?';
  const auto lives = session_lives(name, said->status.success(), said->out, said->err);
  if (!lives) return '?';
  return *lives ? 'y' : 'n';
}

}  // namespace

std::optional<bool> session_lives(const std::string& name, bool success, const std::string& out,
                                  const std::string& err) {
  if (!success) {
    // No server, and so no session: the only failures that say something about it.
    for (const char* words : {"no server running", "(No such file or directory)",
                              "failed to connect to server", "no sessions"}) {
      if (err.find(words) != std::string::npos) return false;
    }
    return std::nullopt;
  }
  const auto names = split(out, '\n');
  const auto has = [&](const std::string& wanted) {
    return std::find(names.begin(), names.end(), wanted) != names.end();
  };
  return !name.empty() && (has(name) || has(tmux_name(name)));
}

SessionQuestion::SessionQuestion(const std::string& tmux, const std::string& name)
    : give_up_(Deadline::after(kPatience + std::chrono::milliseconds(500))) {
  if (tmux.empty()) return;
  auto pipe = make_pipe();
  if (!pipe || !set_nonblocking(pipe->read)) return;
  const pid_t child = ::fork();
  if (child < 0) return;
  if (child == 0) {
    leave_the_link({pipe->write.get()});
    const char answer = ask(tmux, name);
    [[maybe_unused]] const auto written = ::write(pipe->write.get(), &answer, 1);
    ::_exit(0);
  }
  answer_ = std::move(pipe->read);
}

bool SessionQuestion::step() {
  if (!answer_) return true;
  char answer = '?';
  const ssize_t n = ::read(answer_.get(), &answer, 1);
  if (n < 0 && (errno == EAGAIN || errno == EINTR) && !give_up_.expired()) return false;
  if (n == 1 && answer != '?') lives_ = answer == 'y';
  answer_.reset();
  return true;
}

}  // namespace yonder::outpost
