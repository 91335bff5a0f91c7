#pragma once

#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// The supervisor of a run that has begun: the one that is recorded, unless that does not hold the
// run's lock and another one does. A command can write into its own record, but cannot take the
// lock. Costs a walk over /proc where the record is wrong.
wire::ProcessKey supervisor_of(const RunRecord& record, const wire::AliveRecord& alive);

}  // namespace yonder::outpost
