#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/resource_facts.h"
#include "outpost/limited_child.h"

namespace yonder::outpost {

// What the parsers of the vendors' tools have in common. All pure. What a tool prints is foreign
// text: every name is bounded and printable, and what is not a number is a reason, never zero.

inline constexpr std::size_t kMostGpus = 256;
inline constexpr std::size_t kMostGpuProcesses = 1000;  // of all GPUs together

inline constexpr std::uint64_t kMebibyte = 1024UL * 1024;
inline constexpr std::uint64_t kMilliwatts = 1000;  // in a watt

// The number in `said` times `unit`; what comes after the point counts.
resources::Count gpu_count(std::string_view tool, std::string_view said, std::uint64_t unit);

// Takes back what cannot be: more than all of it used. What the tool says of the work or the memory
// of a GPU that is neither a number nor "[N/A]" and the like is trouble.
void check_values(std::string_view tool, resources::Gpu& gpu);

// An identity as it may be put into a variable or a file's name: letters, digits, '-' and '_'.
// Empty when it is anything else.
std::string plain_id(std::string_view said);
std::string gpu_name(std::string_view said);

// Zero when it cannot be the number of a process.
std::int64_t process_number(std::string_view said);

// It did not come to a good end: what it said need not be all, nor right.
bool failed(const Said& said);
// Why there is no answer to work with.
std::string why_nothing(std::string_view tool, const Said& said);

}  // namespace yonder::outpost
