#include "outpost/numbers.h"

#include <charconv>
#include <limits>

#include "base/text.h"

namespace yonder::outpost {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  text = trim(text);
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> thousandths(std::string_view text) {
  text = trim(text);
  const std::size_t point = text.find('.');
  const auto whole = whole_number(text.substr(0, point));
  const auto scaled = whole ? product(*whole, 1000) : std::nullopt;
  if (!scaled || point == std::string_view::npos) return scaled;
  const std::string_view fraction = text.substr(point + 1);
  std::uint64_t part = 0;
  std::uint64_t weight = 100;
  for (const char digit : fraction) {
    if (digit < '0' || digit > '9') return std::nullopt;
    part += static_cast<std::uint64_t>(digit - '0') * weight;
    weight /= 10;
  }
  if (fraction.empty() || *scaled > std::numeric_limits<std::uint64_t>::max() - part) {
    return std::nullopt;
  }
  return *scaled + part;
}

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
  return a * b;
}

}  // namespace yonder::outpost
