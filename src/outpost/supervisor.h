#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// One process per run, detached from every link: starts the command, enforces its time limit, and
// writes how it ended. Afterwards it stays as long as anything of the command's tree is left, so
// that the rest can still be found and stopped.

// Signals that it understands. All are blocked from before its first instruction, so none is lost.
inline constexpr int kStopSignal = 10;   // SIGUSR1, with the grace in milliseconds as its value
inline constexpr int kInputSignal = 12;  // SIGUSR2: there is more input

// Forks the supervisor of a run whose lock the caller holds; it holds the lock until its end.
Result<void> spawn_supervisor(const RunRecord& record, const wire::StartRequest& spec,
                              const Fd& lock);

// The supervisor's whole life.
int supervise(const RunRecord& record, const wire::StartRequest& spec);

}  // namespace yonder::outpost
