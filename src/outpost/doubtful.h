#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "outpost/processes.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Pure. Whether nothing that everybody sees of a process excludes that it is left of a run whose
// supervisor is gone: it has lost its parent, it is not older than the run's command, and it is in
// no session that is older.
bool could_be_left_of(const wire::ProcessKey& command, const Process& process,
                      const std::vector<Process>& processes);

// Such a process whose environment may not be read, as of a command that has become another user,
// so that nobody can tell whose it is. Not one that systemd keeps apart from this user's. Costs a
// walk over /proc.
std::optional<pid_t> find_doubtful(const wire::ProcessKey& command);

}  // namespace yonder::outpost
