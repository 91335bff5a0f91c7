#pragma once

#include <string>
#include <string_view>

namespace yonder {

// Lines that repeat the one before are counted instead of shown: a warning that is printed a
// thousand times says no more than once.
std::string fold_repeats(std::string_view text);

}  // namespace yonder
