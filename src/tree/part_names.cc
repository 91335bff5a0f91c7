// What parts are called, and which of them nobody needs any more.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/text.h"
#include "tree/part.h"
#include "tree/scan.h"

namespace yonder::tree {
namespace {

constexpr std::string_view kPartPrefix = ".~yonder-part-";
static_assert(kPartPrefix.starts_with(kTemporaryPrefix));

}  // namespace

std::uint64_t segments_of(std::uint64_t size) {
  return size / kSegment + (size % kSegment != 0 ? 1 : 0);
}

std::uint64_t segment_size(std::uint64_t size, std::uint64_t index) {
  const std::uint64_t start = index * kSegment;
  return start >= size ? 0 : std::min(kSegment, size - start);
}

std::string part_name(const FileHead& head) {
  Packer identity;
  identity.text(split_path(head.path).name).number(head.size).integer(head.mtime_ns);
  identity.number(head.origin);
  return concat(kPartPrefix, to_hex(hash_of_bytes(identity.bytes())));
}

std::string own_part_name(const FileHead& head, const PartClaim& claim) {
  return concat(part_name(head), "-", to_hex({.low = claim.sync, .high = 0}).substr(16));
}

bool is_part_name(std::string_view name) {
  const auto take_hex = [&](std::size_t digits) {
    const std::size_t end = name.substr(0, digits).find_first_not_of("0123456789abcdef");
    if (name.size() < digits || end != std::string_view::npos) return false;
    name.remove_prefix(digits);
    return true;
  };
  if (!name.starts_with(kPartPrefix)) return false;
  name.remove_prefix(kPartPrefix.size());
  if (!take_hex(32)) return false;
  if (name.starts_with('-')) {
    name.remove_prefix(1);
    if (!take_hex(16)) return false;
  }
  return name.empty() || name == map_name("");
}

void remove_old_part(int root, const std::string& path, std::int64_t older_than_ms) {
  Directories directories(root);
  const auto directory = directories.open(split_path(path).parent);
  const std::string name(split_path(path).name);
  if (!is_part_name(name)) return;
  struct stat info {};
  if (!directory || ::fstatat(*directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(info.st_mode)) return;
  const std::int64_t changed_ms = std::int64_t{info.st_ctim.tv_sec} * 1000;
  if (wall_clock_ms() - changed_ms < older_than_ms) return;
  // Its map is in use as long as the part is.
  const std::size_t ending = map_name("").size();
  const std::string part =
      name.ends_with(map_name("")) ? name.substr(0, name.size() - ending) : name;
  const Fd file(::openat(*directory, part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file && lock_file(file.get(), LOCK_EX, Deadline::after(Duration::zero())) == EWOULDBLOCK)
    return;
  ::unlinkat(*directory, name.c_str(), 0);
}

void remove_part(int directory, const FileHead& head) {
  const std::string part = part_name(head);
  remove_old_part(directory, part, 0);
  struct stat info {};
  if (::fstatat(directory, part.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return;
  remove_old_part(directory, map_name(part), 0);
}

}  // namespace yonder::tree
