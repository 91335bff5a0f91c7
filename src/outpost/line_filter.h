#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace yonder::outpost {

// Of a line that is longer than two of these only so many bytes of its beginning, and of its end,
// are kept; in its middle only shorter matches are found.
inline constexpr std::size_t kLineEnds = 32UL * 1024;

// A pattern of the user, looked for in lines of a log. The time it takes grows with the length of
// the line and nothing else, whatever the pattern is.
//
// Lines are UTF-8. One that is not, such as of a program that prints Latin-1 or raw bytes, is
// looked at byte by byte as well: a broken character must not hide an error message.
class LineFilter {
 public:
  // InvalidArgument names the argument `filter`.
  static Result<LineFilter> create(const std::string& pattern);
  LineFilter(LineFilter&&) noexcept;
  LineFilter& operator=(LineFilter&&) noexcept;
  LineFilter(const LineFilter&) = delete;
  LineFilter& operator=(const LineFilter&) = delete;
  ~LineFilter();

  // False when every match is shorter than kLineEnds.
  bool may_match_far() const { return may_match_far_; }

  // `line` without its newline; a carriage return at its end does not count.
  bool found_in(std::string_view line) const;

  // Part of a line. What is not one of its ends is only there to be seen from inside: no match
  // reaches the first or the last byte then, and ^ and $ are not found there.
  struct Ends {
    bool begin = true;
    bool end = true;
  };
  // Where in `part` it is found.
  std::optional<std::size_t> find_in(std::string_view part, Ends ends) const;

 private:
  LineFilter();

  bool may_match_far_ = false;
  std::unique_ptr<re2::RE2> characters_;
  std::unique_ptr<re2::RE2> bytes_;
  std::unique_ptr<re2::RE2> whole_characters_;  // matches what is UTF-8 altogether
};

}  // namespace yonder::outpost
