#include "outpost/memory.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/numbers.h"

namespace yonder::outpost {
namespace {

using resources::Count;

// What the files are called in the two versions of control groups.
struct Names {
  const char* limit;
  const char* usage;
  const char* cache;  // in memory.stat, for the group with all below it
};
constexpr Names kUnified{"/memory.max", "/memory.current", "inactive_file"};
constexpr Names kFirst{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};

std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = read_file(path, kSmallFile);
  return text ? whole_number(*text) : std::nullopt;
}

std::optional<MemoryLimit> limit_of(const Group& group) {
  const Names& names = group.unified ? kUnified : kFirst;
  const auto limit = number_in(group.directory + names.limit);  // "max": none
  if (!limit) return std::nullopt;
  MemoryLimit found{.bytes = *limit, .used = number_in(group.directory + names.usage)};
  const auto stat = read_file(group.directory + "/memory.stat", kSmallFile);
  const auto cache = stat ? stat_value(*stat, names.cache) : std::nullopt;
  if (found.used && cache) *found.used -= std::min(*found.used, *cache);
  return found;
}

Count missing_line(std::string_view name) {
  return Count::missing(concat("/proc/meminfo does not tell ", name));
}

}  // namespace

std::optional<std::uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view name) {
  for (const auto& line : split(meminfo, '\n')) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    std::string_view value = trim(std::string_view(line).substr(name.size() + 1));
    if (!value.ends_with(" kB")) return std::nullopt;
    value.remove_suffix(3);
    const auto kib = whole_number(value);
    return kib ? product(*kib, 1024) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> stat_value(std::string_view stat, std::string_view name) {
  for (const auto& line : split(stat, '\n')) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos && std::string_view(line).substr(0, space) == name) {
      return whole_number(std::string_view(line).substr(space));
    }
  }
  return std::nullopt;
}

std::vector<MemoryLimit> memory_limits(const std::vector<Group>& groups) {
  std::vector<MemoryLimit> limits;
  for (const auto& group : groups) {
    if (auto limit = limit_of(group)) limits.push_back(*limit);
  }
  return limits;
}

resources::Memory memory_within(std::string_view meminfo, const std::vector<MemoryLimit>& limits) {
  const auto total = meminfo_bytes(meminfo, "MemTotal");
  const auto available = meminfo_bytes(meminfo, "MemAvailable");
  resources::Memory memory;
  memory.total_bytes = total ? Count::of(*total) : missing_line("MemTotal");
  memory.available_bytes = available ? Count::of(*available) : missing_line("MemAvailable");
  for (const auto& limit : limits) {
    // Without a limit version 1 says a huge number: more than any machine has.
    if (!total || limit.bytes >= *total) continue;
    memory.limit = "cgroup";
    memory.total_bytes = Count::of(std::min(*memory.total_bytes, limit.bytes));
    if (!memory.available_bytes) continue;
    if (limit.used) {
      const std::uint64_t left = limit.bytes - std::min(limit.bytes, *limit.used);
      memory.available_bytes = Count::of(std::min(*memory.available_bytes, left));
    } else {
      memory.available_bytes =
          Count::missing("a control group limits the memory, and does not tell how much is used");
    }
  }
  return memory;
}

resources::Memory look_at_memory() {
  const auto meminfo = read_file("/proc/meminfo", kSmallFile);
  if (!meminfo) {
    const std::string why = printable(meminfo.error().message);
    return {.total_bytes = Count::missing(why), .available_bytes = Count::missing(why)};
  }
  return memory_within(*meminfo, memory_limits(own_groups("memory")));
}

}  // namespace yonder::outpost
