#pragma once

#include "ops/engine.h"

namespace yonder::cli {

// Tells people at a terminal why nothing happens yet: when it takes its time, and each thing once.
// Thread: any.
ops::ProgressSink people_progress();

}  // namespace yonder::cli
