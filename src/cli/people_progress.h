#pragma once

#include "ops/engine.h"

namespace yonder::cli {

// Tells people at a terminal why nothing happens yet, each thing once. Of connections LinkWatch
// tells. Thread: any.
ops::ProgressSink people_progress();

}  // namespace yonder::cli
