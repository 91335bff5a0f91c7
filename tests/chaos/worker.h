#pragma once

#include <optional>
#include <vector>

#include "chaos/dice.h"
#include "chaos/stage.h"
#include "chaos/verdict.h"

namespace yonder::chaos {

// An agent with two clients: starts runs, again and with the same key until it knows that they are
// started, and stops those that are to be stopped.
class Worker {
 public:
  Worker(Stage& stage, Seat& one, Seat& other, std::uint64_t seed)
      : stage_(stage), one_(one), other_(other), dice_(seed) {}

  // Returns when all is done, or at the end of the time.
  void work();

 private:
  struct Pending {
    int number = 0;
    Duration delay{};
    std::optional<Instant> due;
  };

  Seat& some_seat() { return dice_.one_in(2) ? one_ : other_; }
  bool start_next();
  bool start(const RunPlan& plan);
  void maybe_cut_the_start(const RunPlan& plan, const Seat& seat);
  void maybe_disturb(const RunPlan& plan, Seat& seat, const std::string& call);
  bool take_start(const RunPlan& plan, Evidence evidence, const e2e::Reply& reply);
  bool is_due(Pending& pending);
  bool attend(const RunPlan& plan);
  bool stop(const RunPlan& plan);
  bool take_stop(const RunPlan& plan, Evidence evidence, const e2e::Reply& reply);

  Stage& stage_;
  Seat& one_;
  Seat& other_;
  Dice dice_;
  std::vector<Pending> pending_;
};

}  // namespace yonder::chaos
