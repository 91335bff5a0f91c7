#include "cli/table.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "cli/cells.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // less of a name or an error says nothing

std::vector<std::size_t> column_widths(const Row& header, const std::vector<Row>& rows,
                                       std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < header.size(); ++column) {
    std::size_t widest = cells_of(header[column]);
    for (const auto& row : rows) widest = std::max(widest, cells_of(row[column]));
    widths.push_back(widest);
  }
  const std::size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
  // The first column names what the row is about, and that is typed again.
  while (widths.size() > 1 && std::accumulate(widths.begin(), widths.end(), gaps) > width) {
    const auto widest = std::max_element(widths.begin() + 1, widths.end());
    if (*widest <= kNarrowest) break;
    --*widest;
  }
  return widths;
}

std::string line_of(const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    const std::string cell = fit_cells(row[column], widths[column]);
    line += cell;
    if (column + 1 == row.size()) break;
    line.append(widths[column] - cells_of(cell) + kGap, ' ');
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
