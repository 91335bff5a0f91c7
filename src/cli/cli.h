#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/version_text.h"
#include "ops/engine.h"

namespace yonder::cli {

struct McpOptions {
  std::vector<std::string> toolsets;  // empty: the default ones
};

// What the application gives to its command line.
struct Doors {
  Build build;
  // Built when first needed: --help needs none.
  std::function<Result<ops::Engine*>()> engine;
  // The same that never asks the person at the terminal for a password: the terminal is busy.
  std::function<Result<ops::Engine*>()> silent_engine;
  // For a process that another of ours has started: its secrets come through its standard input.
  std::function<Result<ops::Engine*>()> worker_engine;
  std::function<int(const McpOptions&)> serve_mcp;
};

// The whole command line: parses, does, prints, and says with which status to exit. 255 is for
// Yonder's own failures, 2 for a wrong command line, everything else is the remote command's.
int run(int argc, char** argv, const Doors& doors);

}  // namespace yonder::cli
