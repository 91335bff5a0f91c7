#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/messages.h"

namespace yonder::outpost {

// Pure. The program that a shell would look for first, when that can be told without a shell: a
// plain first word that is none of its own. Empty when it cannot.
std::string_view first_program(std::string_view command);

// Whether this run is likely to end at once because its program does not exist, going by the PATH
// that it gets. Only its end proves it.
bool may_lack_its_program(const wire::StartRequest& spec,
                          const std::vector<std::string>& inherited);

}  // namespace yonder::outpost
