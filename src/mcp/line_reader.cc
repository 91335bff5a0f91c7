#include "mcp/line_reader.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"

namespace yonder::mcp {
namespace {

constexpr std::size_t kChunk = 64U << 10U;
constexpr std::size_t kShownOfTooLong = 4096;
// More than any pipe holds: a client that writes on and on must not keep a session that is over.
constexpr std::size_t kMostAfterStop = 2U << 20U;

enum class Ready { Input, Stop };

Result<Ready> wait_for_either(const Fd& input, const StopSignal& stop) {
  std::array<pollfd, 2> waiting{{{input.get(), POLLIN, 0}, {stop.fd(), POLLIN, 0}}};
  while (::poll(waiting.data(), waiting.size(), -1) < 0) {
    if (errno != EINTR) return errno_error("poll");
  }
  return waiting[1].revents != 0 ? Ready::Stop : Ready::Input;
}

bool is_readable_now(const Fd& input) {
  pollfd waiting{input.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace

Result<LineReader::Item> LineReader::next() {
  while (true) {
    if (auto item = take()) return *std::move(item);
    if (ended_) return take_rest();
    if (!stop_.triggered()) {
      TRY_ASSIGN(const Ready ready, wait_for_either(input_, stop_));
      if (ready == Ready::Input) TRY(fill());
    } else if (read_since_stop_ < kMostAfterStop && is_readable_now(input_)) {
      const std::size_t before = buffer_.size() - start_;
      TRY(fill());
      read_since_stop_ += buffer_.size() - before;
    } else {
      return Item{Kind::End, ""};
    }
  }
}

// The next line that is whole in the buffer and not blank.
std::optional<LineReader::Item> LineReader::take() {
  while (true) {
    const std::size_t newline = buffer_.find('\n', searched_);
    if (newline == std::string::npos) break;
    if (auto item = finish_line(newline)) return item;
  }
  searched_ = buffer_.size();
  if (skipping_ || buffer_.size() - start_ > max_line_) {
    if (!skipping_) skipped_ = buffer_.substr(start_, kShownOfTooLong);
    skipping_ = true;
    start_ = searched_;
  }
  return std::nullopt;
}

std::optional<LineReader::Item> LineReader::finish_line(std::size_t end) {
  const std::string_view line = std::string_view(buffer_).substr(start_, end - start_);
  start_ = searched_ = std::min(end + 1, buffer_.size());
  if (skipping_ || line.size() > max_line_) {
    if (!skipping_) skipped_ = line.substr(0, kShownOfTooLong);
    skipping_ = false;
    return Item{Kind::TooLong, std::exchange(skipped_, "")};
  }
  const std::string_view text = trim(line);  // also the \r of \r\n
  if (text.empty()) return std::nullopt;
  return Item{Kind::Line, std::string(text)};
}

LineReader::Item LineReader::take_rest() {
  if (start_ == buffer_.size() && !skipping_) return Item{Kind::End, ""};
  return finish_line(buffer_.size()).value_or(Item{Kind::End, ""});
}

Result<void> LineReader::fill() {
  buffer_.erase(0, start_);
  if (buffer_.empty() && buffer_.capacity() > 16 * kChunk) buffer_.shrink_to_fit();
  start_ = 0;
  searched_ = buffer_.size();
  buffer_.resize(searched_ + kChunk);
  auto n = read_some(input_, buffer_.data() + searched_, kChunk);
  buffer_.resize(searched_ + (n ? *n : 0));
  TRY(n);
  ended_ = *n == 0;
  return {};
}

}  // namespace yonder::mcp
