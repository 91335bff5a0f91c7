#pragma once

#include "outpost/machine.h"
#include "wire/messages.h"

namespace yonder::outpost {

// What `doctor` wants to know: which directories can be used, which launchers exist.
wire::ProbeReply probe(const Surroundings& around);

}  // namespace yonder::outpost
