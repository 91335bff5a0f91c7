#include "fuzz/target.h"
#include "outpost/cgroups.h"

// /proc/self/cgroup and /proc/self/mountinfo, whose paths any user may choose.
namespace yonder::fuzz {
namespace {

void cgroups(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::string_view own = pieces.piece();
  const std::string_view mounts = pieces.piece();
  for (const char* controller : {"cpu", "memory", ""}) {
    const auto groups = outpost::groups_above(own, mounts, controller);
    require(groups.size() <= 1 + bytes.size(), "there is an end to groups");
    for (const auto& group : groups) require(!group.directory.empty(), "a group is somewhere");
  }
  [[maybe_unused]] const auto below = outpost::path_below(own, mounts);
}

const Registered kCgroups("cgroups", cgroups);

}  // namespace
}  // namespace yonder::fuzz
