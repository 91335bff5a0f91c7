#include "outpost/gpu_values.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "outpost/numbers.h"
#include "outpost/tool.h"

namespace yonder::outpost {
namespace {

using resources::Count;

constexpr std::size_t kMaxValue = 60;
constexpr std::size_t kMaxName = 120;
constexpr std::string_view kSays = " says ";

bool has_nothing_to_tell(const Count& count) {
  const std::size_t start = count.why.find(kSays);
  if (start == std::string::npos) return true;
  std::string said = to_lower(count.why.substr(start + kSays.size()));
  if (said.starts_with('[')) said.erase(0, 1);
  return said.starts_with("n/a") || said.starts_with("not supported") ||
         said.starts_with("not available") || said.starts_with("insufficient permissions");
}

}  // namespace

Count gpu_count(std::string_view tool, std::string_view said, std::uint64_t unit) {
  if (trim(said).empty()) return Count::missing(concat(tool, " does not tell"));
  const auto milli = thousandths(said);
  const auto scaled = milli ? product(*milli, unit) : std::nullopt;
  if (!scaled) return Count::missing(concat(tool, kSays, shown(said, kMaxValue)));
  return Count::of(*scaled / 1000);
}

void check_values(std::string_view tool, resources::Gpu& gpu) {
  constexpr std::uint64_t kAll = 100;
  if (gpu.utilization_pct && *gpu.utilization_pct > kAll) {
    gpu.utilization_pct =
        Count::missing(concat(tool, kSays, *gpu.utilization_pct, " %, which cannot be"));
  }
  if (gpu.memory_used_bytes && gpu.memory_total_bytes &&
      *gpu.memory_used_bytes > *gpu.memory_total_bytes) {
    gpu.memory_used_bytes = Count::missing(concat(tool, kSays, human_bytes(*gpu.memory_used_bytes),
                                                  " of ", human_bytes(*gpu.memory_total_bytes),
                                                  " of memory are used, which cannot be"));
  }
  for (const Count* count :
       {&gpu.utilization_pct, &gpu.memory_used_bytes, &gpu.memory_total_bytes}) {
    if (!*count && gpu.trouble.empty() && !has_nothing_to_tell(*count)) gpu.trouble = count->why;
  }
}

std::string plain_id(std::string_view said) {
  said = trim(said);
  const bool plain = said.size() <= kMaxName && std::all_of(said.begin(), said.end(), [](char c) {
                       return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                              (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
                     });
  return plain ? std::string(said) : "";
}

std::string gpu_name(std::string_view said) {
  return shown(said, kMaxName);
}

std::int64_t process_number(std::string_view said) {
  const auto pid = whole_number(said);
  if (!pid || *pid > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) return 0;
  return static_cast<std::int64_t>(*pid);
}

bool failed(const Said& said) {
  return said.end != Said::End::Whole || said.status != 0 || said.signal != 0;
}

std::string why_nothing(std::string_view tool, const Said& said) {
  if (said.end == Said::End::TooLate) return concat(tool, " did not answer in time");
  if (said.end == Said::End::TooMuch) return concat(tool, " printed too much");
  if (said.signal != 0) return concat(tool, " was ended by signal ", said.signal);
  const std::string status =
      said.status == 0 ? "" : concat(" and failed with status ", said.status);
  return concat(tool, ": ", first_line(said, "it said nothing" + status));
}

}  // namespace yonder::outpost
