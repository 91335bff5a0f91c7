#pragma once

#include <string>

#include "base/resource_facts.h"
#include "outpost/machine.h"

namespace yonder::outpost {

// What this machine has, and how much of it is free. `cwd` is where commands would start. Takes
// milliseconds, and as long as the GPUs' own tool does; whatever does not answer is given up.
resources::MachineFacts measure(const Surroundings& around, const std::string& cwd);

}  // namespace yonder::outpost
