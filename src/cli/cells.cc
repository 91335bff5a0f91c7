#include "cli/cells.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace yonder::cli {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Blocks, not single characters: a table of all of them would be wrong again next year.
constexpr std::array kNone{Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                           Range{0x0610, 0x061A}, Range{0x064B, 0x065F}, Range{0x0E34, 0x0E3A},
                           Range{0x0E47, 0x0E4E}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
                           Range{0x200B, 0x200F}, Range{0x202A, 0x202E}, Range{0x2060, 0x2064},
                           Range{0x2066, 0x206F}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},
                           Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF}};
constexpr std::array kTwo{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
                          Range{0xA960, 0xA97C},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
                          Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
                          Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF},
                          Range{0x1FA70, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool is_in(std::uint32_t point, const std::array<Range, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

std::uint32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  // The first byte has one leading bit less for each byte that follows.
  std::uint32_t point = first & (0x7FU >> character.size());
  for (const char byte : character.substr(1)) {
    point = (point << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return point;
}

struct Character {
  std::size_t bytes = 1;
  std::size_t cells = 1;
};

Character first_of(std::string_view text) {
  const std::size_t bytes = std::max<std::size_t>(utf8_length(text), 1);
  if (bytes == 1) return {};
  const std::uint32_t point = code_point(text.substr(0, bytes));
  if (is_in(point, kNone)) return {.bytes = bytes, .cells = 0};
  return {.bytes = bytes, .cells = is_in(point, kTwo) ? 2U : 1U};
}

// How many bytes of it fit.
std::size_t fitting(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  std::size_t used = 0;
  while (end < text.size()) {
    const Character next = first_of(text.substr(end));
    if (used + next.cells > width) break;
    used += next.cells;
    end += next.bytes;
  }
  return end;
}

}  // namespace

std::size_t cells_of(std::string_view text) {
  std::size_t cells = 0;
  while (!text.empty()) {
    const Character next = first_of(text);
    cells += next.cells;
    text.remove_prefix(next.bytes);
  }
  return cells;
}

std::string fit_cells(std::string_view text, std::size_t width) {
  if (width == 0) return "";
  if (cells_of(text) <= width) return std::string(text);
  return std::string(text.substr(0, fitting(text, width - 1))) + "…";
}

std::string pad_cells(std::string_view text, std::size_t width) {
  std::string padded = fit_cells(text, width);
  padded.append(width - cells_of(padded), ' ');
  return padded;
}

std::vector<std::string> wrap_cells(std::string_view text, std::size_t width) {
  std::vector<std::string> pieces;
  do {
    // A character that is wider than everything is better cut than waited for.
    std::size_t end = fitting(text, width);
    if (end == 0 && !text.empty()) end = first_of(text).bytes;
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  } while (!text.empty());
  return pieces;
}

}  // namespace yonder::cli
