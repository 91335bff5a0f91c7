#pragma once

#include <string>
#include <vector>

namespace yonder::cli {

using Row = std::vector<std::string>;

// Pure. All rows have as many cells as the header; cells are printable text.

// Aligned columns, not wider than `width` as far as that leaves something to read: the widest
// columns are cut first, with an ellipsis.
std::string aligned_table(const Row& header, const std::vector<Row>& rows, std::size_t width,
                          bool bold_header);

// For other programs: fields separated by tabs.
std::string tab_separated(const std::vector<Row>& rows);

}  // namespace yonder::cli
