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
    take(bytes, filter);
  }
}

void ForwardScan::take(std::string_view bytes, const LineFilter& filter) {
  while (true) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) break;
    position_ += newline + 1;
    end_line(bytes.substr(0, newline), "\n", filter);
    bytes.remove_prefix(newline + 1);
  }
  line_.append(bytes);
  position_ += bytes.size();
}

void ForwardScan::end_line(std::string_view rest, std::string_view newline,
                           const LineFilter& filter) {
  line_start_ = position_;
  if (line_.total() == 0) {  // nearly always
    if (!filter.found_in(rest)) return;
    ++matches_;
    found_.append(rest);
    found_.append(newline);
    return;
  }
  line_.append(rest);
  if (filter.found_in(line_.head() + line_.tail())) {
    ++matches_;
    found_.append(line_.head());
    found_.skip(line_.left_out());
    found_.append(line_.tail());
    found_.append(newline);
  }
  line_ = HeadTail(kLineEnds, kLineEnds);
}

void ForwardScan::finish(const LineFilter& filter) {
  if (line_start_ < position_) end_line("", "", filter);
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
    position_ = from;
    take_block(bytes, filter);
  }
  if (position_ > bounds_.floor || done()) return;
  end_line("", position_, filter);
  done_ = true;
}

// `position_` is where the block begins.
void BackwardScan::take_block(std::string_view bytes, const LineFilter& filter) {
  while (!done()) {
    const std::size_t newline = bytes.rfind('\n');
    if (newline == std::string_view::npos) break;
    end_line(bytes.substr(newline + 1), position_ + newline + 1, filter);
    line_.newline = "\n";
    bytes = bytes.substr(0, newline);
  }
  line_.prepend(bytes);
}

// `beginning` and what is kept in `line_` are the line.
void BackwardScan::end_line(std::string_view beginning, std::uint64_t line_start,
                            const LineFilter& filter) {
  const bool last = std::exchange(at_last_line_, false);
  if (last) whole_end_ = line_start;
  const bool nothing = last && line_.empty() && beginning.empty();  // it ends with a newline
  bool found = false;
  if (line_.empty()) {  // nearly always
    found = !nothing && filter.found_in(beginning);
    if (found) line_.prepend(beginning);
  } else {
    line_.prepend(beginning);
    found = filter.found_in(line_.front + line_.back);
  }
  if (found && !keep_line()) return;
  line_ = Line{};
  start_ = line_start;
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
