#pragma once

#include <string>

#include "base/result.h"
#include "outpost/machine.h"
#include "outpost/worker.h"

namespace yonder::outpost {

// The far end of a sync: carries out what the near side says, on one tree, until it says no more.
Result<std::string> serve_tree(const Surroundings& around, WorkerChannel& channel);

}  // namespace yonder::outpost
