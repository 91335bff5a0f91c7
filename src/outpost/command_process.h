#pragma once

#include <sys/types.h>

#include "base/fd.h"
#include "outpost/held_record.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

inline constexpr int kCannotStart = 127;  // what a shell says for a command that is not there

// The new process between the supervisor's fork and the command's first instruction.

// Its own session, plain signals, and who it is: all that does not depend on the run.
Result<wire::AliveRecord> prepare_command(const wire::ProcessKey& supervisor);

// Enters its directory and records itself in `alive` first; what fails before that is told by
// read_refusal(). Until it execs it holds a copy of the run's lock, so that nobody
// can take the run for one that never began.
[[noreturn]] void run_command(const wire::StartRequest& spec, const HeldRecord& held,
                              const Fd& input, Result<wire::AliveRecord> prepared);

// Why it has ended before it recorded itself.
Error read_refusal(const RunRecord& record);

// What a login shell execs: from here on the command's own life begins, with the environment that
// the login shell has made. Leaves the file `entered` as proof that it came so far.
int enter_command(const RunRecord& record);

}  // namespace yonder::outpost
