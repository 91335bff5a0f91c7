#pragma once

#include <string>

#include "base/json.h"
#include "chaos/stage.h"

namespace yonder::chaos {

// A client of its own that closes its end right behind one request and reads nothing. What it asked
// for may have been done: the next one that asks finds out. Its `yonder mcp` must end by itself.
void ask_and_leave(Stage& stage, const char* tool, const Json& arguments, const std::string& fault);

}  // namespace yonder::chaos
