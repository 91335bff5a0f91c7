#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::cli {

// Pure: text as cells of a screen. Characters of East Asia and pictures take two of them, marks
// that sit on another character none. The text is printable.

std::size_t cells_of(std::string_view text);

// Not wider than that; an ellipsis stands for what is cut off.
std::string fit_cells(std::string_view text, std::size_t width);
// Exactly as wide, with spaces behind it.
std::string pad_cells(std::string_view text, std::size_t width);
// In pieces that are not wider; one at least.
std::vector<std::string> wrap_cells(std::string_view text, std::size_t width);

}  // namespace yonder::cli
