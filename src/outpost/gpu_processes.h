#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/resource_facts.h"

namespace yonder::outpost {

// Pure. What /proc/PID/cmdline may show to others: the program, and of an interpreter the script or
// module. Never an argument, which may be a password.
std::string command_shown(std::string_view cmdline);

// Adds whose the processes are, and what they were started as, as far as /proc shows them here.
void see_processes(std::vector<resources::Gpu>& gpus);

}  // namespace yonder::outpost
