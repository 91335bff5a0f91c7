#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/parse.h"

namespace yonder::cli {

// Pure: a script that makes a shell complete commands and options, files here where those are
// meant, and, by asking `yonder hosts --names` and `yonder ps --ids`, sandboxes and runs. It offers
// nothing that is for another machine: behind "--", and behind the colon of "NAME:PATH".
std::string completion_script(Shell shell, const std::vector<CommandShape>& commands);

}  // namespace yonder::cli
