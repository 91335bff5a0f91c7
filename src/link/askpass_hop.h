#pragma once

#include <sys/types.h>

namespace yonder::link {

// Whether the ssh that started this helper process is not the one that we started but one below
// it: what ProxyJump starts for a machine on the way. That ssh inherits the environment of ours,
// and its prompt does not say which of the two asks. False where the system does not tell.
bool asked_by_another_hop(pid_t helper);

}  // namespace yonder::link
