#pragma once

#include "base/clock.h"

namespace yonder::testing {

// How long a test waits for what has to happen. Only a hang reaches it, however slow or loaded the
// machine is; a test that passes never waits so long.
inline constexpr auto kPatience = std::chrono::minutes(3);

inline Deadline patience() {
  return Deadline::after(kPatience);
}

}  // namespace yonder::testing
