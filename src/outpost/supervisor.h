#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// One process per run, detached from every link: starts the command, enforces its time limit, and
// writes how it ended. Afterwards it stays as long as anything of the command's tree is left, so
// that the rest can still be found and stopped.

// Signals that it understands. All are blocked from before its first instruction, so none is lost.
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

// Forks the supervisor of a run whose lock the caller holds; it holds the lock until its end.
Result<void> spawn_supervisor(const RunRecord& record, const wire::StartRequest& spec,
                              const Fd& lock);

// The supervisor's whole life.
int supervise(const RunRecord& record, const wire::StartRequest& spec);

// The same in two parts, for one that was forked before its run was known, with its command
// process.
Fd become_supervisor();
int supervise(const RunRecord& record, const wire::StartRequest& spec, Fd signals, pid_t command);

}  // namespace yonder::outpost
