#pragma once

#include "chaos/dice.h"
#include "chaos/stage.h"

namespace yonder::chaos {

// Asks about runs all the time, over whatever the line is at that moment, and holds every answer
// against what the test sees itself.
class Observer {
 public:
  Observer(Stage& stage, Seat& seat, std::uint64_t seed)
      : stage_(stage), seat_(seat), dice_(seed) {}

  // Returns when the stage is calm.
  void watch();

 private:
  void check(const RunPlan& plan);
  void list(std::size_t machine);
  void check_and_leave(const RunPlan& plan);
  void ask_the_liar(const RunPlan& plan);
  Json question(const RunPlan& plan, const Seen& seen);

  Stage& stage_;
  Seat& seat_;
  Dice dice_;
};

}  // namespace yonder::chaos
