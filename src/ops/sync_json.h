#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "ops/sync.h"

namespace yonder::ops {

// Pure: what was left out and why, one group for each rule or reason, so that nobody wonders where
// a file went. Conflicts are not in it.
struct LeftOutGroup {
  std::string why;   // "excluded", "unreadable", "special", "kept", "in_the_way"
  std::string rule;  // which, and where it stands; or the reason
  std::uint64_t count = 0;
  std::vector<std::string> examples;  // printable; directories end with a slash
  std::string hint;
  bool by_default = false;  // by a rule that is built in
};
std::vector<LeftOutGroup> group_left_out(const std::vector<sync::LeftOut>& left);

// What to do about it, at the end where it went wrong; often nobody knows.
std::string hint_for(const sync::FailedEntry& failed);

// Every key is always there; null stands for what a sync that is not done cannot know.
Json to_json(const SyncResponse& response);
Json sync_output_schema(sync::Direction direction);

}  // namespace yonder::ops
