#include "cli/one_line.h"

#include <algorithm>
#include <vector>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::cli {

std::string one_line(std::string_view text) {
  std::vector<std::string> lines;
  for (const auto& line : split(text, '\n')) {
    std::string shown(trim(line));
    std::replace(shown.begin(), shown.end(), '\t', ' ');
    if (!shown.empty()) lines.push_back(printable(shown));
  }
  return join(lines, " / ");
}

std::string or_dash(std::string text) {
  return text.empty() ? "-" : std::move(text);
}

}  // namespace yonder::cli
