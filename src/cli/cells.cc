#include "cli/cells.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace yonder::cli {
namespace {

struct CellRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Blocks, not single characters: a table of all of them would be wrong again next year.
constexpr std::array kNone{
    CellRange{0x0300, 0x036F}, CellRange{0x0483, 0x0489}, CellRange{0x0591, 0x05BD},
    CellRange{0x0610, 0x061A}, CellRange{0x064B, 0x065F}, CellRange{0x0E34, 0x0E3A},
    CellRange{0x0E47, 0x0E4E}, CellRange{0x1AB0, 0x1AFF}, CellRange{0x1DC0, 0x1DFF},
    CellRange{0x200B, 0x200F}, CellRange{0x202A, 0x202E}, CellRange{0x2060, 0x2064},
    CellRange{0x2066, 0x206F}, CellRange{0x20D0, 0x20FF}, CellRange{0xFE00, 0xFE0F},
    CellRange{0xFE20, 0xFE2F}, CellRange{0xFEFF, 0xFEFF}, CellRange{0xE0100, 0xE01EF}};
constexpr std::array kTwo{
    CellRange{0x1100, 0x115F},   CellRange{0x2E80, 0x303E},   CellRange{0x3041, 0xA4CF},
    CellRange{0xA960, 0xA97C},   CellRange{0xAC00, 0xD7A3},   CellRange{0xF900, 0xFAFF},
    CellRange{0xFE30, 0xFE6F},   CellRange{0xFF00, 0xFF60},   CellRange{0xFFE0, 0xFFE6},
    CellRange{0x1F300, 0x1F64F}, CellRange{0x1F680, 0x1F6FF}, CellRange{0x1F900, 0x1F9FF},
    CellRange{0x1FA70, 0x1FAFF}, CellRange{0x20000, 0x3FFFD}};

template <std::size_t N>
bool is_in(std::uint32_t point, const std::array<CellRange, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CellRange& range) {
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
