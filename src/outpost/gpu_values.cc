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

}  // namespace

Count gpu_count(std::string_view tool, std::string_view said, std::uint64_t unit) {
  if (trim(said).empty()) return Count::missing(concat(tool, " does not tell"));
  const auto milli = thousandths(said);
  const auto scaled = milli ? product(*milli, unit) : std::nullopt;
  if (!scaled) return Count::missing(concat(tool, " says ", shown(said, kMaxValue)));
  return Count::of(*scaled / 1000);
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

std::string why_nothing(std::string_view tool, const Said& said) {
  if (said.end == Said::End::TooLate) return concat(tool, " did not answer in time");
  if (said.end == Said::End::TooMuch) return concat(tool, " printed too much");
  return concat(tool, ": ", first_line(said, "it said nothing"));
}

}  // namespace yonder::outpost
