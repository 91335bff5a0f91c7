#pragma once

#include <sys/types.h>

#include "base/fd.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

inline constexpr int kCannotStart = 127;  // what a shell says for a command that is not there

struct CommandStart {
  const Fd& input;
  const Fd& gate;  // a byte comes through it once the run is recorded
  pid_t supervisor = 0;
};

// The new process between the supervisor's fork and the command's first instruction.
[[noreturn]] void run_command(const wire::StartRequest& spec, const RunRecord& record,
                              const CommandStart& start);

// What a login shell execs: from here on the command's own life begins, with the environment that
// the login shell has made. Leaves the file `entered` as proof that it came so far.
int enter_command(const RunRecord& record);

}  // namespace yonder::outpost
