#pragma once

#include <string>
#include <string_view>

namespace yonder::tree {

struct LineDiff {
  std::string text;  // unified, without file names
  bool truncated = false;
};
// Pure. Small for small changes; where two texts have little in common it is not the smallest
// possible. `limit` bounds the text, in bytes.
LineDiff line_diff(std::string_view before, std::string_view after, std::size_t limit);

}  // namespace yonder::tree
