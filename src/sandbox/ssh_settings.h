#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "link/prefix.h"

namespace yonder::sandbox {

// What the user's ssh would do with these words: the answer of `ssh -G`, a setting a line. Empty
// when it does not say.
std::string ask_settings(const link::CommandPrefix& words);

// Pure. The value of a setting, whose name is in small letters; empty when ssh does not know it.
std::string setting_in(std::string_view settings, std::string_view name);

// Pure. Where these settings lead to: user, host and port, and by way of which machine or program.
std::string target_in(std::string_view settings);

// Pure. Options that put back what would leave no pipe to a shell: `SessionType none` starts no
// command, `StdinNull yes` gives it no input, `ForkAfterAuthentication yes` leaves us. Only for
// what is set: an older ssh does not know these names, and fails.
std::vector<std::string> pipe_overrides(std::string_view settings);

}  // namespace yonder::sandbox
