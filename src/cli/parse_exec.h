#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace yonder::cli {

struct RawOptions;

// An `exec` or `run` (which of them: `command`) without "--" gets told where its command belongs.
// `left_over` are the words that were no options of ours.
Result<void> check_has_command(const std::string& command, const RawOptions& raw,
                               const std::optional<std::vector<std::string>>& tail,
                               const std::vector<std::string>& left_over);

// What `exec` and `run` have in common.
Result<void> add_run_options(const RawOptions& raw, RunRequest& run,
                             std::vector<std::string>& own_variables);

// `tail`: the words behind "--".
Result<ExecOptions> to_exec_options(const RawOptions& raw,
                                    const std::optional<std::vector<std::string>>& tail);

}  // namespace yonder::cli
