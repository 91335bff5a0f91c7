#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "outpost/held_record.h"
#include "outpost/run_record.h"
#include "outpost/supervisor_signals.h"

namespace yonder::outpost {

// One process per run, detached from every link: starts the command, enforces its time limit, and
// writes how it ended. Afterwards it stays as long as anything of the command's tree is left, so
// that the rest can still be found and stopped.

// By this others know it for a run of its own: see leads_another_run().
void show_as_supervisor(const std::string& run_id);

// Forks the supervisor of a run whose lock the caller holds; it holds the lock until its end.
Result<void> spawn_supervisor(const RunRecord& record, const wire::StartRequest& spec,
                              const Fd& lock);

// The supervisor's whole life.
int supervise(HeldRecord held, const wire::StartRequest& spec);

// The same in two parts, for one that was forked before its run was known, with its command
// process.
Fd become_supervisor();
int supervise(HeldRecord held, const wire::StartRequest& spec, Fd signals, pid_t command);

}  // namespace yonder::outpost
