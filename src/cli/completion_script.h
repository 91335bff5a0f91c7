#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/parse.h"

namespace yonder::cli {

// Pure: a script that makes a shell complete commands, options and, by asking
// `yonder hosts --names`, sandboxes. Behind "--" it offers nothing: that is for another machine.
std::string completion_script(Shell shell, const std::vector<CommandShape>& commands);

}  // namespace yonder::cli
