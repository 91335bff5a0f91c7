#pragma once

#include <vector>

#include "model/link_sight.h"
#include "ops/engine.h"

namespace yonder::ops {

// Every machine that this process has been connected to. Costs nothing, and waits for nothing.
// Thread: any.
std::vector<LinkSight> link_sights(const Engine& engine);

}  // namespace yonder::ops
