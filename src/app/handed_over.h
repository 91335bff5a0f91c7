#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace yonder::app {

// The secret variables ("NAME=value") that the process which started us has left in the pipe that
// is our standard input, which is /dev/null afterwards. None when there is no pipe: a worker that
// was started by hand has its own environment.
Result<std::vector<std::string>> take_secrets_from_stdin();

}  // namespace yonder::app
