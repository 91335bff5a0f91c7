#pragma once

#include "base/resource_facts.h"

namespace yonder::resources {

// How idle a machine is: 0 (busy) to 1 (idle), to three places. Weights: CPU 0.4, memory 0.4, GPU
// 0.2; where there is no GPU, CPU and memory 0.5 each. Only when all of it was measured; otherwise
// it says which part was not. Pure.
Measured<double> idle_score(const MachineFacts& facts);

}  // namespace yonder::resources
