#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace yonder::tree {

// All names in an open directory but "." and "..", in no order.
Result<std::vector<std::string>> names_in(int directory);

}  // namespace yonder::tree
