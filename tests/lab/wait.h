#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/patience_test.h"

namespace yonder::lab {

inline Deadline soon() {
  return testing::patience();
}

// Asks until the condition holds, and says whether it did. For what cannot be waited for directly,
// such as the death of a process that is not ours.
//
//   EXPECT_TRUE(eventually([&] { return processes_matching(marker).empty(); }));
template <class Condition>
bool eventually(Condition&& condition, const Deadline& deadline = soon()) {
  Duration pause = std::chrono::microseconds(500);
  while (!condition()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(std::min(pause, deadline.remaining()));
    pause = std::min<Duration>(pause * 2, std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace yonder::lab
