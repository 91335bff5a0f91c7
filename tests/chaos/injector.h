#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "chaos/dice.h"
#include "chaos/stage.h"

namespace yonder::chaos {

// Breaks things at random. It only signals processes that it has found, by their numbers, below the
// test's own clients and servers, or as those of the lab's users.
class Injector {
 public:
  // How often it breaks something. Each time that it has done so `wanted` times the pauses become
  // twice as long: on the slowest machine there is a time to get something done.
  struct Pace {
    Duration mean_pause;
    int wanted;
  };
  Injector(Stage& stage, std::uint64_t seed, Pace pace);

  // Returns when the stage is calm; everything that can be repaired is repaired by then.
  void wreak();

 private:
  struct Fault {
    const char* name;
    int weight;
    bool (Injector::*inject)();  // false: there was nothing to break
  };
  struct Repair {
    Instant at;
    std::function<void()> repair;
  };

  static const std::vector<Fault>& faults();
  void one_fault();
  Duration next_pause();
  void repair_due(bool all);
  void repair_later(Duration pause, std::function<void()> repair);
  Machine& some_machine() { return stage_.world.machines[dice_.below(machine_count_)]; }
  lab::FaultProxy& some_line();
  Duration some_time(int at_most_ms);

  bool cut();
  bool cut_after_bytes();
  bool stall();
  bool half_open();
  bool go_away();
  bool kill_ssh();
  bool kill_session();
  bool freeze_sessions();
  bool kill_outpost();
  bool kill_client();
  bool kill_tmux();
  bool lose_home();
  bool fill_disk();
  bool kill_supervisor() { return kill_victim(Victim::Supervisor); }
  bool kill_command() { return kill_victim(Victim::Command); }
  bool kill_victim(Victim victim);
  bool kill_victim_of(const RunPlan& plan);

  Stage& stage_;
  Dice dice_;
  Pace pace_;
  std::size_t machine_count_;
  std::vector<Repair> repairs_;
  std::set<std::string> spoiled_;  // homes that are gone and disks that are full at the moment
};

}  // namespace yonder::chaos
