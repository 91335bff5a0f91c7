#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"

namespace yonder::cli {

struct RawOptions;

// `use`, `add` and `remove`.
bool is_settings_command(const std::string& name);
// Pure.
Result<Command> to_settings_command(const std::string& name, const RawOptions& raw);

}  // namespace yonder::cli
