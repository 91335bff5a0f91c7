#pragma once

#include <signal.h>

#include <cstdint>

namespace yonder::outpost {

// Signals that a supervisor understands. All are blocked from before its first instruction, so none
// is lost.
inline constexpr int kStopSignal = 10;   // SIGUSR1, with an encoded StopOrder as its value
inline constexpr int kInputSignal = 12;  // SIGUSR2: there is more input

struct StopOrder {
  std::int64_t grace_ms = 0;  // up to an hour
  int signal = SIGTERM;       // the first one; KILL follows after the grace
};
// Pure. Both in the one number that can go along with a signal.
int encode_stop(const StopOrder& order);
StopOrder decode_stop(int value);

// Blocks them as long as it lives, so that those which are sent right after the start wait for
// their reader.
class SupervisorSignals {
 public:
  SupervisorSignals();
  SupervisorSignals(const SupervisorSignals&) = delete;
  SupervisorSignals& operator=(const SupervisorSignals&) = delete;
  ~SupervisorSignals();

 private:
  sigset_t before_{};
};

// All of them.
sigset_t supervisor_signals();

}  // namespace yonder::outpost
