#include "tree/extended_attributes.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kLargestAttribute = 64UL * 1024;  // the kernel's own limit
constexpr std::uint32_t kListVersion = 2;
constexpr std::size_t kListHead = 4;
constexpr std::size_t kListEntry = 8;

// Old kernels take only paths, and this one cannot lead elsewhere meanwhile.
std::string path_at(int directory, const std::string& name) {
  return concat("/proc/self/fd/", directory, "/", name);
}

// The call that takes a directory, of newer kernels; it spares the way through /proc.
constexpr long kListAt = 465;

bool has_list_at() {
  static const bool has =
      ::syscall(kListAt, AT_FDCWD, "/", 0, nullptr, 0) >= 0 || (errno != ENOSYS && errno != EPERM);
  return has;
}

ssize_t list_into(int directory, const std::string& name, std::span<char> list) {
  if (has_list_at()) {
    return ::syscall(kListAt, directory, name.c_str(), AT_SYMLINK_NOFOLLOW, list.data(),
                     list.size());
  }
  return ::llistxattr(path_at(directory, name).c_str(), list.data(), list.size());
}

// Files have them because of where they are, not because somebody wanted it; a copy gets its own.
bool is_of_the_place(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{
      "security.selinux", "security.SMACK64", "security.apparmor", "security.ima",
      "security.evm",     "system.nfs4_acl",  "system.nfs4_dacl",  "system.cifs_acl"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

void add_little_endian(std::string& bytes, std::uint32_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i, value >>= 8U) bytes += static_cast<char>(value & 0xFFU);
}

}  // namespace

std::vector<std::string> attribute_names(int directory, const std::string& name) {
  std::vector<std::string> names;
  std::array<char, 1024> few{};
  std::vector<char> many;
  std::span<char> list = few;
  ssize_t n = list_into(directory, name, list);
  if (n < 0 && errno == ERANGE) {
    many.resize(kLargestAttribute);
    list = many;
    n = list_into(directory, name, list);
  }
  if (n <= 0) return names;  // nearly always
  for (std::string& one : split(std::string(list.data(), static_cast<std::size_t>(n)), '\0')) {
    if (!one.empty()) names.push_back(std::move(one));
  }
  return names;
}

FoundAttributes find_attributes(int directory, const std::string& name) {
  FoundAttributes found;
  std::size_t bytes = 0;
  for (const std::string& one : attribute_names(directory, name)) {
    if (!is_user_attribute(one)) {
      found.has_more = found.has_more || !is_of_the_place(one);
      continue;
    }
    auto value = attribute_value(directory, name, one);
    bytes += one.size() + (value ? value->size() : 0);
    const bool fits = bytes <= kMostAttributeBytes && found.user.size() < kMostAttributes;
    if (value && fits) {
      found.user.push_back({one, *std::move(value)});
    } else {
      found.has_more = true;
    }
  }
  std::sort(found.user.begin(), found.user.end(),
            [](const UserAttribute& a, const UserAttribute& b) { return a.name < b.name; });
  return found;
}

Result<FoundAttributes> find_attributes(Directories& directories, const std::string& path) {
  TRY(check_relative(path));
  TRY_ASSIGN(const int directory, directories.open(split_path(path).parent));
  return find_attributes(directory, std::string(split_path(path).name));
}

bool keeps_user_attributes(std::string path) {
  while (true) {
    if (::getxattr(path.c_str(), "user.yonder", nullptr, 0) >= 0) return true;
    if (errno != ENOENT && errno != ENOTDIR) return errno != ENOTSUP && errno != ENOSYS;
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos || path == "/") return false;
    path.resize(std::max<std::size_t>(slash, 1));
  }
}

std::optional<std::string> attribute_value(int directory, const std::string& name,
                                           const std::string& attribute) {
  std::string value(kLargestAttribute, '\0');
  const ssize_t n =
      ::lgetxattr(path_at(directory, name).c_str(), attribute.c_str(), value.data(), value.size());
  if (n < 0) return std::nullopt;
  value.resize(static_cast<std::size_t>(n));
  return value;
}

std::optional<std::vector<AccessEntry>> parse_access_list(std::string_view bytes) {
  if (bytes.size() < kListHead || (bytes.size() - kListHead) % kListEntry != 0 ||
      little_endian(bytes, 0, 4) != kListVersion) {
    return std::nullopt;
  }
  std::vector<AccessEntry> entries;
  for (std::size_t at = kListHead; at < bytes.size(); at += kListEntry) {
    const auto who = static_cast<std::uint16_t>(little_endian(bytes, at, 2));
    const bool known = who != 0 && who <= 32 && (who & (who - 1U)) == 0;
    if (!known) return std::nullopt;
    entries.push_back({static_cast<AccessEntry::Who>(who),
                       static_cast<std::uint16_t>(little_endian(bytes, at + 2, 2)),
                       little_endian(bytes, at + 4, 4)});
  }
  return entries;
}

std::string access_list(const std::vector<AccessEntry>& entries) {
  std::string bytes;
  add_little_endian(bytes, kListVersion, 4);
  for (const AccessEntry& entry : entries) {
    add_little_endian(bytes, static_cast<std::uint32_t>(entry.who), 2);
    add_little_endian(bytes, entry.permissions, 2);
    add_little_endian(bytes, entry.id, 4);
  }
  return bytes;
}

mode_t mode_without_list(mode_t mode, std::string_view list) {
  const auto entries = parse_access_list(list);
  if (!entries) return mode & ~077U;
  const unsigned mask = mode >> 3U & 7U;
  unsigned group = mask;
  unsigned others = mode & 7U;
  for (const AccessEntry& entry : *entries) {
    // Without the list, users whom it names are of the group or others, and its groups others.
    const unsigned has = entry.permissions & mask;
    if (entry.who == AccessEntry::Who::Group || entry.who == AccessEntry::Who::User) group &= has;
    if (entry.who == AccessEntry::Who::OtherGroup || entry.who == AccessEntry::Who::User) {
      others &= has;
    }
  }
  return (mode & ~077U) | group << 3U | others;
}

mode_t mode_for_another_group(mode_t mode) {
  // Those of the old group are others now, and some of the others are the group.
  const unsigned both = mode >> 3U & mode & 7U;
  return (mode & ~077U) | both << 3U | both;
}

}  // namespace yonder::tree
