#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/sandbox_spec.h"

namespace yonder::link {

// The narrow waist: put `sh` behind these words and you have a byte pipe to a shell over there.
struct CommandPrefix {
  std::vector<std::string> argv;         // whole, with the `sh` at its end
  std::vector<std::string> environment;  // "NAME=value"; secrets already taken out
  bool asks_questions = false;           // ssh does, and needs a broker to answer them
};

using PrefixMaker = std::function<Result<CommandPrefix>(const SandboxSpec&)>;

}  // namespace yonder::link
