#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace yonder {

// What a program that we start may see of our environment. Every one of them gets its variables
// from here: ssh sends them to the far machine when the user's settings say so (SendEnv), and git,
// an editor or a password command hand them on to whatever they start.

// Whether a variable of this name holds a password or the like that is meant for Yonder alone.
bool is_secret_variable(std::string_view name);
// "NAME=value" each.
std::vector<std::string> without_secrets(std::vector<std::string> environment);

// The others, for another process of this very program: to be written into its standard input. They
// end with a mark, so that what was cut off is not taken for the whole.
Secret pack_secrets(const std::vector<std::string>& environment);
Result<std::vector<std::string>> unpack_secrets(std::string_view packed);

}  // namespace yonder
