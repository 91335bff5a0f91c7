#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "outpost/line_filter.h"

namespace yonder::outpost {

// Looks through a line that is too long to be kept, as its pieces come: all from the left, or all
// from the right. They overlap by kLineEnds, so that what lies across their borders is found.
class LongLine {
 public:
  LongLine() = default;
  // Whether the first piece from the left begins the line.
  explicit LongLine(bool begins) : edge_(begins) {}

  void append(std::string_view bytes, bool ends, const LineFilter& filter);
  void prepend(std::string_view bytes, bool begins, const LineFilter& filter);

  bool found() const { return !excerpt_.empty(); }
  // What stands around the first place where it was found.
  const std::string& excerpt() const { return excerpt_; }

 private:
  void look(std::string_view part, LineFilter::Ends ends, const LineFilter& filter);

  std::string overlap_;
  bool edge_ = true;  // `overlap_` reaches the end of the line that was seen first
  std::string excerpt_;
};

// How many bytes end a line at `at`, where the first '\r' or '\n' after its text is: any '\r' and a
// newline. Without the newline it is a bar that is drawn again, and what was drawn is a line.
std::size_t size_of_line_end(std::string_view bytes, std::size_t at);

}  // namespace yonder::outpost
