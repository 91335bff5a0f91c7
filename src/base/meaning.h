#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yonder {

// Pure. Which of `candidates` the unknown `word` stands for: what other programs call the same
// thing ("upload" for "push", "cmd" for "command"), else the nearest one by its letters. "" when
// there is nothing to suggest. Dashes at the front, and whether words are joined by "-" or "_", do
// not matter.
std::string probably_meant(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace yonder
