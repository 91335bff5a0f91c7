#pragma once

#include "base/clock.h"

namespace yonder::outpost {

// How long a run that wants GPUs waits for what should be quick. A machine can be slower than any
// limit: tests give it more before they fork.
struct GpuTimes {
  Duration tool = std::chrono::seconds(10);  // the machine's own tool
  Duration lock = std::chrono::seconds(5);   // another that has the lock of the leases
  // Who comes has looked within this time, or holds up none of the others.
  Duration decision = std::chrono::seconds(15);
  // For so long a request that cannot start yet lets smaller ones pass; after that it is kept
  // whatever becomes free, so that it is not starved.
  Duration passing = std::chrono::minutes(10);
};

inline GpuTimes& gpu_times() {
  static GpuTimes times;
  return times;
}

}  // namespace yonder::outpost
