#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace yonder::outpost {

// Pure. Spaces around a number are fine, anything else but the number is not.
std::optional<std::uint64_t> whole_number(std::string_view text);
// In thousandths: "23.45" is 23450. What is finer than that is cut off.
std::optional<std::uint64_t> thousandths(std::string_view text);

// Nothing where it would not fit.
std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b);

}  // namespace yonder::outpost
