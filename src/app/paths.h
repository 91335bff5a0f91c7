#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace yonder::app {

// A directory of ours for sockets that live as long as the login: in XDG_RUNTIME_DIR, else below
// /tmp. Created 0700; one that belongs to somebody else is refused.
Result<std::string> runtime_directory(const std::map<std::string, std::string>& environment);

// Where Yonder keeps what it must remember: $XDG_STATE_HOME/yonder, created 0700. When that cannot
// be done, using it gives the error.
std::string state_directory(const std::map<std::string, std::string>& environment);

// The absolute path of this program, for ssh to start it as SSH_ASKPASS.
Result<std::string> own_program();

}  // namespace yonder::app
