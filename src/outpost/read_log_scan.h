#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/head_tail.h"
#include "outpost/line_filter.h"
#include "outpost/long_line.h"
#include "outpost/read_log_file.h"

namespace yonder::outpost {

// How much may be looked through for one request. Time counts only while it is spent.
struct ScanBudget {
  std::uint64_t bytes = 256ULL * 1024 * 1024;
  Duration time = std::chrono::seconds(5);
  bool spent() const { return bytes == 0 || time <= Duration::zero(); }
  void charge(std::uint64_t used, Duration took) {
    bytes -= std::min(bytes, used);
    time -= took;
  }
};

// Both scans are passive: each step() looks through a slice of the file, so that other streams get
// their turn. What a bar has drawn before it is drawn again, behind a carriage return, is a line:
// it is found with a newline at its end.

// Lines in which a filter is found, from a byte on.
class ForwardScan {
 public:
  // `before` is the byte before `from`: it tells whether a line begins there.
  ForwardScan(std::uint64_t from, HeadTail found, char before = '\n')
      : position_(from),
        line_start_(from),
        inside_(before != '\n' && before != '\r'),
        after_return_(before == '\r'),
        long_(!inside_),
        found_(std::move(found)) {}

  // Looks further, up to `end` at most.
  void step(LogFile& file, const LineFilter& filter, std::uint64_t end, ScanBudget& budget);
  // Takes what stands after the last newline for a line.
  void finish(const LineFilter& filter);

  std::uint64_t position() const { return position_; }
  // Whether it was found in a line that is not whole yet, but too long to be looked at again.
  bool found_in_part() const { return part_is_long() && long_.found(); }
  // Takes that for a line.
  void finish_part();
  // Where the first line begins that is not whole yet; or, of a long one, what may be the beginning
  // of a match.
  std::uint64_t next() const { return part_is_long() ? position_ - kLineEnds : line_start_; }
  std::uint64_t matches() const { return matches_; }
  // Lines that are too long for a match of any length to be found in them, and in which none was.
  std::uint64_t long_lines() const {
    return long_lines_ + (part_is_long() && !long_.found() ? 1 : 0);
  }
  const HeadTail& found() const { return found_; }

 private:
  bool part_is_long() const { return line_.truncated(); }
  void take(std::string_view bytes, const LineFilter& filter);
  void take_line(std::string_view bytes, const LineFilter& filter);
  void end_line(std::string_view rest, std::string_view ending, const LineFilter& filter);
  bool find_in_line(std::string_view rest, const LineFilter& filter);
  void begin_line();

  std::uint64_t position_;
  std::uint64_t line_start_;
  bool inside_;                          // it began in the middle of a line
  bool after_return_;                    // a newline that comes now ends the same line
  HeadTail line_{kLineEnds, kLineEnds};  // what is known of the line that is not whole yet
  LongLine long_;
  HeadTail found_;
  std::uint64_t matches_ = 0;
  std::uint64_t long_lines_ = 0;
};

// The last lines in which a filter is found, from the end backwards.
class BackwardScan {
 public:
  struct Bounds {
    std::uint64_t floor = 0;
    std::uint64_t end = 0;
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
  };
  explicit BackwardScan(Bounds bounds)
      : bounds_(bounds), position_(bounds.end), start_(bounds.end), whole_end_(bounds.end) {}

  void step(LogFile& file, const LineFilter& filter, ScanBudget& budget);
  bool done() const { return done_ || lines_.size() >= bounds_.lines; }

  // From where on every line was looked at.
  std::uint64_t start() const { return start_; }
  // Where the last line begins when it has no newline; otherwise the end. A long line without one
  // has been looked at but for what may be the beginning of a match.
  std::uint64_t whole_end() const;
  std::uint64_t matches() const { return lines_.size(); }
  std::uint64_t long_lines() const {
    return long_lines_ + (line_.left_out > 0 && !line_.pieces.found() ? 1 : 0);
  }
  void put_into(HeadTail& out) const;

 private:
  // A line of which the beginning is not known yet. Of a long one the middle is left out.
  struct Line {
    std::string front;
    std::string back;
    std::uint64_t left_out = 0;
    std::string newline;
    bool redraw = false;  // a carriage return ended it
    LongLine pieces;
    void prepend(std::string_view bytes);
    bool empty() const { return front.empty() && back.empty(); }
    std::size_t size() const { return front.size() + back.size() + newline.size(); }
  };
  void take_block(std::string_view bytes, const LineFilter& filter);
  void end_line(std::string_view beginning, std::uint64_t line_start, const LineFilter& filter);
  bool find_in_line(std::string_view beginning, const LineFilter& filter);
  bool keep_line();

  Bounds bounds_;
  std::uint64_t position_;  // what is behind it has been read
  std::uint64_t start_;
  std::uint64_t whole_end_;
  Line line_;
  bool at_last_line_ = true;
  std::deque<Line> lines_;
  std::size_t bytes_ = 0;
  std::uint64_t long_lines_ = 0;
  bool done_ = false;
};

}  // namespace yonder::outpost
