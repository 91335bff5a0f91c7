#include "cli/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/text.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // less of a name or an error says nothing
constexpr std::string_view kEllipsis = "…";

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// One cell of the screen for each code point: right for names, close enough for everything else.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t kept = 0;
  std::size_t end = 0;
  while (end < text.size() && (kept + 1 < width || !starts_character(text[end]))) {
    if (starts_character(text[end])) ++kept;
    ++end;
  }
  return concat(text.substr(0, end), kEllipsis);
}

std::vector<std::size_t> column_widths(const Row& header, const std::vector<Row>& rows,
                                       std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < header.size(); ++column) {
    std::size_t widest = display_width(header[column]);
    for (const auto& row : rows) widest = std::max(widest, display_width(row[column]));
    widths.push_back(widest);
  }
  const std::size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
  while (std::accumulate(widths.begin(), widths.end(), gaps) > width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kNarrowest) break;
    --*widest;
  }
  return widths;
}

std::string line_of(const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    const std::string cell = fit(row[column], widths[column]);
    line += cell;
    if (column + 1 == row.size()) break;
    line.append(widths[column] - display_width(cell) + kGap, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string aligned_table(const Row& header, const std::vector<Row>& rows, std::size_t width,
                          bool bold_header) {
  const auto widths = column_widths(header, rows, width);
  const std::string first = line_of(header, widths);
  std::string table = bold_header ? concat("\x1b[1m", first, "\x1b[0m\n") : concat(first, "\n");
  for (const auto& row : rows) table += concat(line_of(row, widths), "\n");
  return table;
}

std::string tab_separated(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& row : rows) text += concat(join(row, "\t"), "\n");
  return text;
}

}  // namespace yonder::cli
