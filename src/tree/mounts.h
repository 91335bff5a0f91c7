#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace yonder::tree {

// Which mount something lies on. A directory that was mounted a second time elsewhere has the same
// device there, but not the same mount.
struct MountedOn {
  std::uint64_t device = 0;
  std::uint64_t mount = 0;  // 0: this kernel does not tell
  // By mount where that is known: a file system's own parts may differ in their devices.
  bool operator==(const MountedOn& other) const {
    return mount != 0 && other.mount != 0 ? mount == other.mount : device == other.device;
  }
};
// Of an open file or directory. Nothing when it cannot be told.
std::optional<MountedOn> mounted_on(int fd);
// Of the entry `name` of a directory: of what is mounted there, if it is a mount point.
std::optional<MountedOn> mounted_on(int dir_fd, const std::string& name);

// The path of a mount point at or below the entry `name` of the directory; nothing when there is
// none that this process can see.
std::optional<std::string> mount_within(int dir_fd, const std::string& name);

}  // namespace yonder::tree
