#pragma once

#include <string>
#include <vector>

#include "ops/arguments.h"

namespace yonder::ops {

// The parameters of exec_bash_background that concern watching. They are checked like all others,
// before anything starts; what has no effect yet is said in the warnings that are returned.
std::vector<std::string> check_watch_arguments(Arguments& in);
Json watch_properties();

}  // namespace yonder::ops
