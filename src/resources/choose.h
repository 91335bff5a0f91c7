#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/resource_facts.h"

namespace yonder::resources {

// A machine that might do the work.
struct Candidate {
  std::string name;
  std::vector<std::string> labels;
  std::optional<MachineFacts> facts;
  std::string error;  // why there are none
};

struct RuledOut {
  std::string name;
  std::string why;
};

struct Ranked {
  std::string name;
  Measured<double> score;  // as measured
  int recent = 0;          // how often it was chosen in the last minute
  bool waits = false;      // its GPUs are taken now; the run would be queued
  std::uint64_t queue = 0;
  std::string why;
};

struct Ranking {
  std::vector<Ranked> fit;  // the best first
  std::vector<RuledOut> ruled_out;
};

// Pure. What put it where it is: "idle 0.42, chosen 1 time in the last minute".
std::string standing(const Ranked& one);

// What each choice of a machine within the last minute takes off its score: its work has hardly
// begun, so that nobody can have measured it.
constexpr double kRecentChoiceCost = 0.2;

// Pure. The most idle first; without a score after those with one; equal ones by name. `may_wait`:
// when no machine is free now, those count that could serve it some day, the shortest queue first.
Ranking rank(const std::vector<Candidate>& candidates, const Needs& needs,
             const std::map<std::string, int>& recent, bool may_wait);

}  // namespace yonder::resources
