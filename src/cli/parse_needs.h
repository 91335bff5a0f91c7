#pragma once

#include "base/resource_facts.h"
#include "base/result.h"
#include "cli/grammar.h"
#include "model/run.h"

namespace yonder::cli {

// Pure: --gpus, --gpu-memory, --memory, --disk, --label.
Result<resources::Needs> to_needs(const RawOptions& raw);
// --when and --max-wait, of a run that needs GPUs.
Result<void> add_queue(const RawOptions& raw, const resources::Needs& needs, RunRequest& run);

}  // namespace yonder::cli
