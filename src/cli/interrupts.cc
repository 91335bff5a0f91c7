#include "cli/interrupts.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

namespace yonder::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr char kQuit = 0;  // no signal has this number

// A handler gets nothing but the signal's number, so the way to the listening thread must be
// static. Lock-free, as a handler needs it; -1 while nobody listens.
std::atomic<int> g_signal_pipe{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  const int saved = errno;
  const char byte = static_cast<char>(number);
  const int fd = g_signal_pipe.load();
  if (fd >= 0) {
    // The pipe is only full after thousands of signals that nobody has read.
    [[maybe_unused]] const auto written = ::write(fd, &byte, 1);
  }
  errno = saved;
}

void set_handler(int number, void (*handler)(int)) {
  struct sigaction before {};
  ::sigaction(number, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

void set_handlers(void (*handler)(int)) {
  for (const int number : kSignals) set_handler(number, handler);
}

}  // namespace

Result<std::unique_ptr<Interrupts>> Interrupts::install(std::function<void(int)> on_first,
                                                        LaterSignals later) {
  TRY_ASSIGN(Pipe signals, make_pipe());
  TRY_ASSIGN(Pipe wake, make_pipe());
  TRY(set_nonblocking(signals.write));
  return std::unique_ptr<Interrupts>(
      new Interrupts(std::move(signals), std::move(wake), std::move(on_first), later));
}

Interrupts::Interrupts(Pipe signals, Pipe wake, std::function<void(int)> on_first,
                       LaterSignals later)
    : signals_(std::move(signals)),
      wake_(std::move(wake)),
      on_first_(std::move(on_first)),
      later_(later) {
  thread_ = Thread("signals", [this] { listen(); });
  g_signal_pipe = signals_.write.get();
  set_handlers(on_signal);
}

Interrupts::~Interrupts() {
  set_handlers(SIG_DFL);
  g_signal_pipe = -1;
  // A full pipe has signals in it: then the thread is on its way out as well.
  [[maybe_unused]] const auto written = ::write(signals_.write.get(), &kQuit, 1);
  thread_.join();
}

void Interrupts::listen() {
  while (true) {
    char byte = kQuit;
    const auto n = read_some(signals_.read, &byte, 1);
    if (!n || *n == 0 || byte == kQuit) return;
    if (first_ == 0) {
      first_ = byte;
      on_first_(byte);
      stop_the_work();
      continue;
    }
    if (later_ == LaterSignals::EndUs) set_handlers(SIG_DFL);
    leave_the_work();
  }
}

void Interrupts::stop_the_work() {
  cancel_.cancel();
  wake_writers();
}

void Interrupts::leave_the_work() {
  detach_.cancel();
  wake_writers();
}

void Interrupts::wake_writers() {
  if (woken_.exchange(true)) return;
  [[maybe_unused]] const auto written = ::write(wake_.write.get(), "!", 1);
}

}  // namespace yonder::cli
