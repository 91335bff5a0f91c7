#include "outpost/read_log_scan.h"

#include <algorithm>
#include <utility>

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kScanBlock = 64ULL * 1024;
static_assert(kScanBlock <= 2 * kLineEnds, "a line inside of one block is short enough");
constexpr std::uint64_t kSliceBytes = 1024ULL * 1024;
constexpr auto kSliceTime = std::chrono::milliseconds(10);

// One turn of a scan: ends when its time, its bytes or the budget are used up.
class Slice {
 public:
  explicit Slice(ScanBudget& budget) : budget_(budget) {}
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;
  ~Slice() { budget_.charge(used_, std::chrono::steady_clock::now() - began_); }

  bool over() const {
    return used_ >= std::min(kSliceBytes, budget_.bytes) ||
           std::chrono::steady_clock::now() - began_ >= kSliceTime;
  }
  void use(std::uint64_t bytes) { used_ += bytes; }

 private:
  ScanBudget& budget_;
  Instant began_ = std::chrono::steady_clock::now();
  std::uint64_t used_ = 0;
};

}  // namespace

void ForwardScan::step(LogFile& file, const LineFilter& filter, std::uint64_t end,
                       ScanBudget& budget) {
  Slice slice(budget);
  while (position_ < end && !slice.over()) {
    const std::string bytes = file.read(position_, std::min(end, position_ + kScanBlock));
    if (bytes.empty()) return;  // it was cut meanwhile
    slice.use(bytes.size());
    // The end of a line stays in one piece where more is known.
    const std::size_t text = bytes.find_last_not_of('\r');
    const bool cut = position_ + bytes.size() < end && text != std::string::npos;
    take(std::string_view(bytes).substr(0, cut ? text + 1 : bytes.size()), filter);
  }
}

void ForwardScan::take(std::string_view bytes, const LineFilter& filter) {
  if (after_return_) {
    const std::size_t rest = size_of_line_end(bytes, 0);
    after_return_ = rest == bytes.size() && !bytes.ends_with('\n');
    position_ += rest;
    line_start_ = position_;
    bytes.remove_prefix(rest);
  }
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::size_t size = newline == std::string_view::npos ? bytes.size() : newline + 1;
    take_line(bytes.substr(0, size), filter);
    bytes.remove_prefix(size);
  }
}

// There is at most one newline in `bytes`, at their end.
void ForwardScan::take_line(std::string_view bytes, const LineFilter& filter) {
  while (!bytes.empty()) {
    const std::size_t text =
        std::min(bytes.find('\r'), bytes.size() - (bytes.ends_with('\n') ? 1 : 0));
    if (text == bytes.size()) break;
    const std::string_view ending = bytes.substr(text, size_of_line_end(bytes, text));
    position_ += text + ending.size();
    after_return_ = text + ending.size() == bytes.size() && !ending.ends_with('\n');
    end_line(bytes.substr(0, text), ending, filter);
    bytes.remove_prefix(text + ending.size());
  }
  if (bytes.empty()) return;
  line_.append(bytes);
  long_.append(bytes, false, filter);
  position_ += bytes.size();
}

// Puts it into `found_`.
bool ForwardScan::find_in_line(std::string_view rest, const LineFilter& filter) {
  if (line_.total() == 0) {  // nearly always
    const bool found =
        inside_ ? filter.find_in(rest, {.begin = false}).has_value() : filter.found_in(rest);
    if (found) found_.append(rest);
    return found;
  }
  line_.append(rest);
  if (filter.find_in(line_.head() + line_.tail(), {.begin = !inside_})) {
    found_.append(line_.head());
    found_.skip(line_.left_out());
    found_.append(line_.tail());
    return true;
  }
  if (!part_is_long()) return false;
  long_.append(rest, true, filter);
  if (!long_.found()) {
    ++long_lines_;
    return false;
  }
  found_.skip(line_.total() - long_.excerpt().size());
  found_.append(long_.excerpt());
  return true;
}

void ForwardScan::end_line(std::string_view rest, std::string_view ending,
                           const LineFilter& filter) {
  line_start_ = position_;
  const bool redraw = !ending.empty() && !ending.ends_with('\n');
  const bool nothing = redraw && line_.total() == 0 && rest.empty();
  if (!nothing && find_in_line(rest, filter)) {
    ++matches_;
    found_.append(redraw ? "\n" : ending);
  }
  begin_line();
}

void ForwardScan::begin_line() {
  inside_ = false;
  if (line_.total() == 0) return;
  line_ = HeadTail(kLineEnds, kLineEnds);
  long_ = LongLine();
}

void ForwardScan::finish(const LineFilter& filter) {
  if (line_start_ < position_) end_line("", "", filter);
}

void ForwardScan::finish_part() {
  if (!found_in_part()) return;
  ++matches_;
  found_.skip(line_.total() - long_.excerpt().size());
  found_.append(long_.excerpt());
  found_.append("\n");
  line_start_ = position_;
  begin_line();
}

void BackwardScan::Line::prepend(std::string_view bytes) {
  front.insert(0, bytes);
  if (front.size() + back.size() <= 2 * kLineEnds) return;
  if (back.empty()) {
    back = front.substr(front.size() - kLineEnds);
    front.resize(front.size() - kLineEnds);
  }
  if (front.size() <= kLineEnds) return;
  left_out += front.size() - kLineEnds;
  front.resize(kLineEnds);
}

void BackwardScan::step(LogFile& file, const LineFilter& filter, ScanBudget& budget) {
  Slice slice(budget);
  while (!done() && position_ > bounds_.floor && !slice.over()) {
    const std::uint64_t from = position_ - std::min(position_ - bounds_.floor, kScanBlock);
    const std::string bytes = file.read(from, position_);
    if (bytes.size() < position_ - from) {  // it was cut meanwhile
      done_ = true;
      return;
    }
    slice.use(bytes.size());
    // The end of a line stays in one piece: that of the line before belongs to the next block.
    const bool splits = bytes.front() == '\r' || bytes.front() == '\n';
    const std::size_t cut = splits && from > bounds_.floor ? size_of_line_end(bytes, 0) : 0;
    const std::size_t begin = cut < bytes.size() ? cut : 0;
    position_ = from + begin;
    take_block(std::string_view(bytes).substr(begin), filter);
  }
  if (position_ > bounds_.floor || done()) return;
  end_line("", position_, filter);
  done_ = true;
}

// `position_` is where the block begins.
void BackwardScan::take_block(std::string_view bytes, const LineFilter& filter) {
  std::size_t newline = bytes.rfind('\n');
  std::size_t carriage = bytes.rfind('\r');
  while (!done()) {
    // npos + 1 is 0: whichever is there, and the last of them.
    const std::size_t end = std::max(newline + 1, carriage + 1);
    if (end == 0) break;
    end_line(bytes.substr(end), position_ + end, filter);
    const bool has_newline = end == newline + 1;
    const std::size_t text = bytes.find_last_not_of('\r', has_newline ? end - 2 : end - 1);
    // (npos, too, when the newline is the first byte of all)
    const std::size_t size = end == 1 || text == std::string_view::npos ? 0 : text + 1;
    line_.redraw = !has_newline;
    line_.newline = has_newline ? bytes.substr(size, end - size) : "\n";
    bytes = bytes.substr(0, size);
    if (newline != std::string_view::npos && newline >= size) newline = bytes.rfind('\n');
    if (carriage != std::string_view::npos && carriage >= size) carriage = bytes.rfind('\r');
  }
  if (done() || bytes.empty()) return;
  line_.prepend(bytes);
  line_.pieces.prepend(bytes, false, filter);
}

// What is found only in the middle of a long line is all that is kept of it.
bool BackwardScan::find_in_line(std::string_view beginning, const LineFilter& filter) {
  if (line_.empty()) {  // nearly always
    const bool found = filter.found_in(beginning);
    if (found) line_.prepend(beginning);
    return found;
  }
  line_.prepend(beginning);
  if (filter.found_in(line_.front + line_.back)) return true;
  if (line_.left_out == 0) return false;
  line_.pieces.prepend(beginning, true, filter);
  if (!line_.pieces.found()) {
    ++long_lines_;
    return false;
  }
  line_.left_out += line_.front.size() + line_.back.size() - line_.pieces.excerpt().size();
  line_.front.clear();
  line_.back = line_.pieces.excerpt();
  return true;
}

// `beginning` and what is kept in `line_` are the line.
void BackwardScan::end_line(std::string_view beginning, std::uint64_t line_start,
                            const LineFilter& filter) {
  const bool last = std::exchange(at_last_line_, false);
  // The log ends with the end of a line, or a bar was drawn again.
  const bool nothing = (last || line_.redraw) && line_.empty() && beginning.empty();
  const bool found = !nothing && find_in_line(beginning, filter);
  if (last)
    whole_end_ = found && bounds_.end - line_start > 2 * kLineEnds ? bounds_.end : line_start;
  if (found && !keep_line()) return;
  line_ = Line{};
  start_ = line_start;
}

std::uint64_t BackwardScan::whole_end() const {
  const std::uint64_t begin = at_last_line_ ? position_ : whole_end_;
  return bounds_.end - begin > 2 * kLineEnds ? bounds_.end - kLineEnds : begin;
}

// Whole lines only, unless not even one fits: of that one the end will be kept.
bool BackwardScan::keep_line() {
  if (!lines_.empty() && bytes_ + line_.size() > bounds_.bytes) {
    done_ = true;
    return false;
  }
  bytes_ += line_.size();
  lines_.push_front(std::move(line_));
  return true;
}

void BackwardScan::put_into(HeadTail& out) const {
  for (const auto& line : lines_) {
    out.append(line.front);
    out.skip(line.left_out);
    out.append(line.back);
    out.append(line.newline);
  }
}

}  // namespace yonder::outpost
