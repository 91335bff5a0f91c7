#pragma once

#include "base/result.h"
#include "cli/options.h"

namespace yonder::cli {

struct RawOptions;

// Pure.
Result<Command> to_git_sync(const RawOptions& raw);

}  // namespace yonder::cli
