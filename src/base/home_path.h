#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace yonder {

// Pure. "~" and "~/x" below `home`; every other path stays as it is. InvalidArgument when there is
// no home ("~/x" must never become "/x"), and for "~user/x": homes of others are not looked up.
Result<std::string> expand_tilde(std::string_view path, const std::string& home);

// Likewise, and what is relative is below `base`, or below home where that is empty.
Result<std::string> path_from_home(std::string_view path, const std::string& base,
                                   const std::string& home);

}  // namespace yonder
