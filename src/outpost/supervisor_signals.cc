#include "outpost/supervisor_signals.h"

#include <algorithm>

namespace yonder::outpost {
namespace {

static_assert(kStopSignal == SIGUSR1 && kInputSignal == SIGUSR2);

// Of the number that goes along with a stop: an hour in milliseconds needs 22 bits.
constexpr int kGraceBits = 22;
constexpr int kGraceMask = (1 << kGraceBits) - 1;
constexpr int kSignalMask = 63;

}  // namespace

sigset_t supervisor_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, kStopSignal, kInputSignal}) {
    ::sigaddset(&set, number);
  }
  return set;
}

int encode_stop(const StopOrder& order) {
  const auto grace = std::clamp<std::int64_t>(order.grace_ms, 0, kGraceMask);
  return static_cast<int>(grace) | ((order.signal & kSignalMask) << kGraceBits);
}

StopOrder decode_stop(int value) {
  const int signal = (value >> kGraceBits) & kSignalMask;
  return {.grace_ms = value & kGraceMask, .signal = signal == 0 ? SIGTERM : signal};
}

SupervisorSignals::SupervisorSignals() {
  const sigset_t signals = supervisor_signals();
  ::sigprocmask(SIG_BLOCK, &signals, &before_);
}

SupervisorSignals::~SupervisorSignals() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace yonder::outpost
