#pragma once

#include "base/result.h"
#include "outpost/gpu_lease.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// Gets the run its GPUs, waiting for them if it may. The run's `waiting` file says meanwhile who
// has what. Errors: Cancelled when somebody has stopped the run; any other: it is refused.
Result<GpuLease> obtain_gpus(const RunRecord& record, const wire::StartRequest& spec);

}  // namespace yonder::outpost
