#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "ops/tasks.h"

namespace yonder::cli {

// Pure. "last seen running, 3 min ago"; empty when nothing is known.
std::string last_seen_text(const std::string& state, std::int64_t at_ms, std::int64_t now_ms);

// An error about a run whose machine cannot be asked also says what was last seen of the run, and
// what to type to try again. Others are as they were.
Error unreached(ops::Engine& engine, const ops::TaskRef& run, Error error,
                const std::string& command);

}  // namespace yonder::cli
