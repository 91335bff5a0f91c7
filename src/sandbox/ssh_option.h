#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace yonder::sandbox {

// "Keyword=path" for ssh's -o, such that ssh ends up with exactly this path: it splits the value
// like a line of its configuration file, then expands %-tokens and ${VARIABLES}. "${" cannot be
// escaped and is refused, as are control characters and relative paths.
Result<std::string> ssh_path_option(std::string_view keyword, std::string_view path);

}  // namespace yonder::sandbox
