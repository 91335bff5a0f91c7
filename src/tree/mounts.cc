#include "tree/mounts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace yonder::tree {
namespace {

std::string path_of_descriptor(int fd) {
  if (fd == AT_FDCWD) return "";
  std::array<char, 4096> path{};
  const ssize_t n = ::readlink(concat("/proc/self/fd/", fd).c_str(), path.data(), path.size());
  if (n <= 0 || static_cast<std::size_t>(n) == path.size()) return "";
  return std::string(path.data(), static_cast<std::size_t>(n));
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// Blanks, newlines and backslashes are written as \ooo in the kernel's list.
std::string unescaped_mount(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

std::optional<MountedOn> mounted_on(int fd) {
  return mounted_on(fd, "");
}

std::optional<MountedOn> mounted_on(int dir_fd, const std::string& name) {
  const int flags = AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_SYMLINK_NOFOLLOW;
  struct statx info {};
  if (::statx(dir_fd, name.c_str(), flags, STATX_BASIC_STATS | STATX_MNT_ID, &info) != 0) {
    struct stat plain {};
    if (::fstatat(dir_fd, name.c_str(), &plain, flags) != 0) return std::nullopt;
    return MountedOn{.device = plain.st_dev};
  }
  MountedOn where{.device = makedev(info.stx_dev_major, info.stx_dev_minor)};
  if ((info.stx_mask & STATX_MNT_ID) != 0) where.mount = info.stx_mnt_id;
  return where;
}

std::optional<std::string> mount_within(int dir_fd, const std::string& name) {
  const std::string directory = path_of_descriptor(dir_fd);
  if (directory.empty()) return std::nullopt;
  const std::string path = concat(directory == "/" ? "" : directory, "/", name);
  const std::string below = path + "/";
  std::ifstream list("/proc/self/mountinfo");
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    std::string skipped;
    std::string point;
    fields >> skipped >> skipped >> skipped >> skipped >> point;
    point = unescaped_mount(point);
    if (point == path || point.starts_with(below)) return point;
  }
  return std::nullopt;
}

}  // namespace yonder::tree
