#pragma once

#include <string>

#include "cli/cli.h"
#include "ops/placement.h"

namespace yonder::cli {

// The engine for work on this machine. `auto` asks many at once and does not wait for the slow
// ones: a question of theirs would be withdrawn while it is answered, and the shell would get what
// was typed.
inline Result<ops::Engine*> engine_for(const std::string& sandbox, const Doors& doors) {
  return sandbox == ops::kAnyMachine ? doors.silent_engine() : doors.engine();
}

}  // namespace yonder::cli
