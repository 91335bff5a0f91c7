#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "chaos/flag.h"
#include "chaos/plan.h"
#include "chaos/seat.h"
#include "chaos/tally.h"
#include "chaos/truth.h"
#include "chaos/world.h"

namespace yonder::chaos {

// Everything that the threads of the test share. `seats` and `plans` do not change while they run.
struct Stage {
  World& world;
  const std::vector<RunPlan>& plans;
  Truth& truth;
  Tally& tally;
  std::vector<std::unique_ptr<Seat>> seats;
  Deadline end = Deadline::never();  // nobody works longer
  bool patient = false;              // the long form: some stalls last longer than pings
  Guarded<std::deque<int>> waiting;  // plans that nobody has started for certain
  Flag calm;                         // no more faults and no more questions
};

}  // namespace yonder::chaos
