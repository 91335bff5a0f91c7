#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::outpost {

// A control group that we are in, or one above it, as a directory that can be looked into.
struct Group {
  std::string directory;
  bool unified = false;  // version 2
};

// Pure. All groups that can limit us with this controller, from our own up to where the tree ends
// for us: the root, or the edge of our container. `own` is the text of /proc/self/cgroup,
// `mounts` that of /proc/self/mountinfo. A group that we cannot name or reach is left out.
std::vector<Group> groups_above(std::string_view own, std::string_view mounts,
                                std::string_view controller);

// The same for this process.
std::vector<Group> own_groups(std::string_view controller);

// Pure. Where a group is below a mount that shows the tree from `root` on; both are as this process
// sees them, so `/..` is above its namespace. Nothing when it is not below it, or has no name here.
// For `/` seen from `/..` it is the mount itself: that group is above us.
std::optional<std::string> path_below(std::string_view root, std::string_view group);

}  // namespace yonder::outpost
