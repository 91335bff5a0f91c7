#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/resource_facts.h"
#include "outpost/cgroups.h"

namespace yonder::outpost {

// Pure. A line "MemTotal:  123 kB" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view name);
// Pure. A line "inactive_file 123" of memory.stat.
std::optional<std::uint64_t> stat_value(std::string_view stat, std::string_view name);

// What one group allows all its processes together.
struct MemoryLimit {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> used;  // without what the kernel gives back when it is short
};
// Of every group that has a limit.
std::vector<MemoryLimit> memory_limits(const std::vector<Group>& groups);

// Pure.
resources::Memory memory_within(std::string_view meminfo, const std::vector<MemoryLimit>& limits);

resources::Memory look_at_memory();

}  // namespace yonder::outpost
