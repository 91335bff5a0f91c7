#include "outpost/cgroups.h"

#include <algorithm>
#include <cstdint>

#include "base/file.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kMaxCgroup = 64UL * 1024;
constexpr std::uint64_t kMaxMounts = 16UL * 1024 * 1024;
constexpr std::size_t kMaxDepth = 64;

// "/a//b/" → {"a", "b"}.
std::vector<std::string> names_in_path(std::string_view path) {
  std::vector<std::string> names = split(path, '/');
  std::erase_if(names, [](const std::string& name) { return name.empty() || name == "."; });
  return names;
}

std::size_t leading_parents(const std::vector<std::string>& names) {
  const auto first =
      std::find_if(names.begin(), names.end(), [](const auto& name) { return name != ".."; });
  return static_cast<std::size_t>(first - names.begin());
}

bool holds(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Spaces and the like are written as \040 in mountinfo.
std::string unescaped(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct CgroupMount {
  std::string root;
  std::string point;
  bool unified = false;
  std::string options;
};

// "36 35 98:0 /root /point opts [optional...] - type source super-options"
std::vector<CgroupMount> cgroup_mounts(std::string_view mounts) {
  std::vector<CgroupMount> found;
  for (const auto& line : split(mounts, '\n')) {
    const std::size_t dash = line.find(" - cgroup");
    if (dash == std::string::npos) continue;
    const auto head = split(std::string_view(line).substr(0, dash), ' ');
    const auto tail = split(std::string_view(line).substr(dash + 3), ' ');
    if (head.size() < 6 || tail.size() < 3 || (tail[0] != "cgroup" && tail[0] != "cgroup2")) {
      continue;
    }
    if (!head[4].starts_with('/')) continue;
    found.push_back({.root = unescaped(head[3]),
                     .point = unescaped(head[4]),
                     .unified = tail[0] == "cgroup2",
                     .options = tail[2]});
  }
  return found;
}

struct Membership {
  std::string controllers;  // empty: the unified tree
  std::string path;
};

// "4:cpu,cpuacct:/path", or "0::/path" for the unified tree. The path may hold colons.
std::vector<Membership> memberships(std::string_view own) {
  std::vector<Membership> found;
  for (const auto& line : split(own, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    found.push_back({.controllers = line.substr(first + 1, second - first - 1),
                     .path = line.substr(second + 1)});
  }
  return found;
}

// From the group itself up to the mount's own directory.
void add_levels(std::vector<Group>& groups, const CgroupMount& mount, const std::string& below) {
  auto names = names_in_path(below);
  if (names.size() > kMaxDepth) return;
  while (true) {
    std::string directory = mount.point;
    for (const auto& name : names) directory += "/" + name;
    groups.push_back({.directory = std::move(directory), .unified = mount.unified});
    if (names.empty()) return;
    names.pop_back();
  }
}

}  // namespace

std::optional<std::string> path_below(std::string_view root, std::string_view group) {
  const auto above = names_in_path(root);
  auto names = names_in_path(group);
  if (above.size() <= names.size() && std::equal(above.begin(), above.end(), names.begin())) {
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(above.size()));
    // Above what is mounted, or beside it.
    if (std::find(names.begin(), names.end(), "..") != names.end()) return std::nullopt;
    return names.empty() ? "" : "/" + join(names, "/");
  }
  // The mount begins above our namespace: what lies between has no name for us.
  const std::size_t up = leading_parents(above);
  if (up == above.size() && leading_parents(names) < up) return "";
  return std::nullopt;
}

std::vector<Group> groups_above(std::string_view own, std::string_view mounts,
                                std::string_view controller) {
  std::vector<Group> groups;
  const auto mounted = cgroup_mounts(mounts);
  for (const auto& membership : memberships(own)) {
    const bool unified = membership.controllers.empty();
    if (!unified && !holds(membership.controllers, controller)) continue;
    for (const auto& mount : mounted) {
      if (mount.unified != unified || (!unified && !holds(mount.options, controller))) continue;
      const auto below = path_below(mount.root, membership.path);
      if (!below) continue;
      add_levels(groups, mount, *below);
      break;  // further mounts show the same tree
    }
  }
  return groups;
}

std::vector<Group> own_groups(std::string_view controller) {
  const auto own = read_file("/proc/self/cgroup", kMaxCgroup);
  const auto mounts = read_file("/proc/self/mountinfo", kMaxMounts);
  if (!own || !mounts) return {};
  return groups_above(*own, *mounts, controller);
}

}  // namespace yonder::outpost
