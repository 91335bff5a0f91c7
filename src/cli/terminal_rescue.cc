#include "cli/terminal_rescue.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace yonder::cli {
namespace {

constexpr std::array kDeadly{SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// A handler finds its things only by statics. What it needs is there before the first handler is.
struct termios g_before {};
std::atomic<const char*> g_leave{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);

void set_rescue_handlers(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  // The second time it is the default, which ends the process as the signal does.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  ::sigemptyset(&action.sa_mask);
  for (const int number : kDeadly) ::sigaction(number, &action, nullptr);
}

void on_deadly(int number) {
  if (const char* leave = g_leave.exchange(nullptr); leave != nullptr) {
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, leave, std::strlen(leave));
    ::tcsetattr(STDIN_FILENO, TCSANOW, &g_before);
  }
  ::raise(number);
}

}  // namespace

TerminalRescue::TerminalRescue() {
  if (::tcgetattr(STDIN_FILENO, &g_before) == 0) set_rescue_handlers(on_deadly);
}

void TerminalRescue::arm(const char* leave) {
  g_leave = leave;
}

TerminalRescue::~TerminalRescue() {
  set_rescue_handlers(SIG_DFL);
  g_leave = nullptr;
}

}  // namespace yonder::cli
