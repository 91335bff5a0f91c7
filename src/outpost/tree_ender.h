#pragma once

#include <signal.h>

#include <optional>
#include <vector>

#include "base/clock.h"
#include "outpost/processes.h"

namespace yonder::outpost {

// Ends a whole process tree: TERM (or another signal), then after the grace KILL, until nothing of
// it is seen any more. Passive: whoever owns it calls step() until it is done.
//
//   TreeEnder ender(members, grace);
//   while (!ender.step()) wait_a_little();
//   ender.survivors()      // empty, unless even KILL did not help in time
class TreeEnder {
 public:
  TreeEnder(RunMembers run, Duration grace, int first_signal = SIGTERM);

  // True when everything is gone, or when there is no more to be done about the rest.
  bool step();
  // Asks again, with another signal and for no longer than this.
  void hurry(Duration grace, int signal);
  const std::vector<wire::ProcessKey>& survivors() const { return living_; }

 private:
  void kill_all();

  RunMembers run_;
  Deadline grace_;
  Deadline unseen_;  // until when nobody need be seen
  int first_signal_;
  std::optional<Deadline> give_up_;  // set once KILL was sent
  bool asked_ = false;
  std::vector<wire::ProcessKey> living_;
};

}  // namespace yonder::outpost
