#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/id.h"
#include "ops/engine.h"

namespace yonder::ops {

// What was last seen of a run, as far as that is remembered here; no machine is asked.
struct LastSeen {
  std::string state;
  std::int64_t at_ms = 0;
};
std::optional<LastSeen> last_seen(Engine& engine, const RunId& id);

}  // namespace yonder::ops
