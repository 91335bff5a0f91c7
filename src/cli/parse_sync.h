#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"

namespace yonder::cli {

struct RawOptions;

// Pure: `push`, `pull`, `transfers`, and what their workers are.
bool is_sync_command(const std::string& name);
Result<Command> to_sync_command(const std::string& name, const RawOptions& raw);

}  // namespace yonder::cli
