#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace yonder::cli {

struct RawOptions;

// Whether `name` is one of run, ps, logs, wait, stop, attach and rm.
bool is_run_command(const std::string& name);

// Pure. `name` is one of them; `tail`: the words behind "--".
Result<Command> to_run_command(const std::string& name, const RawOptions& raw,
                               const std::optional<std::vector<std::string>>& tail);

}  // namespace yonder::cli
