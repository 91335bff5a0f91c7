#pragma once

#include <string>
#include <string_view>

#include "base/head_tail.h"

namespace yonder {

// Output of foreign programs, made safe for a model, a terminal and JSON.
struct CleanText {
  std::string text;     // valid UTF-8 without escape codes or control characters (but \n, \t)
  bool binary = false;  // bytes were replaced by U+FFFD, or NUL bytes were left out
};
CleanText clean_text(std::string_view bytes);

// The same for a bounded stream: head and tail with a line between them that counts what is
// missing.
CleanText clean_text(const HeadTail& stream);

// For names and one-line messages from the far side: everything unprintable becomes \xNN.
std::string printable(std::string_view bytes);

}  // namespace yonder
