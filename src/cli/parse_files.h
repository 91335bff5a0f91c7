#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace yonder::cli {

struct RawOptions;

// Whether `name` is one of ls, cat, write, edit, grep and restore.
bool is_file_command(const std::string& name);

// Pure. `name` is one of them; `tail`: the words behind "--", which are paths whatever they begin
// with.
Result<Command> to_file_command(const std::string& name, const RawOptions& raw,
                                const std::optional<std::vector<std::string>>& tail);

}  // namespace yonder::cli
