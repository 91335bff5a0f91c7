#pragma once

#include "base/result.h"
#include "outpost/machine.h"
#include "wire/messages.h"

namespace yonder::outpost {

// The request as it is kept: checked, and everything that could mean something else later (the
// directory, the log, the launcher) settled. Looks at the machine, and changes nothing.
Result<wire::StartRequest> settle_request(const Surroundings& around, wire::StartRequest request);

}  // namespace yonder::outpost
