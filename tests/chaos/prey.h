#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "chaos/dice.h"

namespace yonder::chaos {

// Which processes may be killed. All are found below the test's own clients and servers.

// The processes that serve links. Supervisors and commands are forks of them and are no prey here:
// what they were forked from is an outpost too, or they are not in the family any more.
std::vector<pid_t> outposts_below(pid_t sshd);
std::vector<pid_t> named_below(pid_t root, std::string_view name);

// False when there is none.
bool kill_one(const std::vector<pid_t>& pids, Dice& dice);

}  // namespace yonder::chaos
