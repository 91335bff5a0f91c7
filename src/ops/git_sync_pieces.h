#pragma once

#include <string>

#include "ops/git_sync_script.h"

namespace yonder::ops {

// Pure: what the scripts of git_sync have in common.

// name='value', as a line.
std::string shell_assignment(const char* name, const std::string& value);

// What every script begins with: it prints the first record. `branch` and `commit` must be set.
std::string git_common_functions();

// What is to be done, as variables.
std::string git_apply_values(const GitApply& apply);

// Prints how it ended, for parse_far_outcome(), and ends.
std::string git_finish_function();

}  // namespace yonder::ops
