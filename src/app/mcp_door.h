#pragma once

#include <string>
#include <vector>

#include "ops/engine.h"

namespace yonder::app {

// Serves MCP on stdin and stdout until the client goes. Returns the exit status.
int serve_mcp(ops::Engine& engine, const std::vector<std::string>& toolsets);

}  // namespace yonder::app
