#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/run.h"

namespace yonder::cli {

// Pure. Gives the run those variables of ours that `--env NAME` named. InvalidArgument when one is
// not in `environment`, or is a secret.
Result<void> add_own_variables(const std::vector<std::string>& names,
                               const std::vector<std::string>& environment, RunRequest& run);

}  // namespace yonder::cli
