#pragma once

#include <string>
#include <vector>

#include "link/askpass_broker.h"

namespace yonder::link {

// The first line that the shell line `command` prints. What it prints otherwise is in no error, as
// nobody knows what it says. It is killed, with all of its process group, when patience is over.
Result<Secret> run_password_command(const std::string& command,
                                    const std::vector<std::string>& environment,
                                    const Patience& patience);

}  // namespace yonder::link
