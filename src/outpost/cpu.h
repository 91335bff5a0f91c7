#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource_facts.h"
#include "outpost/cgroups.h"

namespace yonder::outpost {

// Pure. The three averages of /proc/loadavg, in thousandths.
std::optional<std::array<std::uint64_t, 3>> parse_loadavg(std::string_view text);
// Pure. How many are in a list such as "0-3,8".
std::optional<std::uint64_t> count_listed(std::string_view list);
// Pure. cpu.max: how many processors, in thousandths; nothing: no limit, or not understood.
std::optional<std::uint64_t> parse_cpu_max(std::string_view text);
// Pure. The line `some` of cpu.pressure: percent of the last minute, in thousandths.
std::optional<std::uint64_t> parse_pressure(std::string_view text);

// The group that leaves us the fewest processors.
struct CpuLimit {
  std::uint64_t milli = 0;
  Group group;
};
std::optional<CpuLimit> smallest_cpu_limit(const std::vector<Group>& groups);

// Pure. Sets what we may use, and what allows no more.
void set_allowed(resources::Cpu& cpu, std::optional<std::uint64_t> affinity,
                 std::optional<std::uint64_t> group_milli);

resources::Cpu look_at_cpu();

}  // namespace yonder::outpost
