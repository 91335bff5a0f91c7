#include "base/head_tail.h"

#include <algorithm>

namespace yonder {

void HeadTail::append(std::string_view bytes) {
  total_ += bytes.size();
  if (!head_closed_) {
    const std::size_t taken = std::min(head_limit_ - head_.size(), bytes.size());
    head_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (bytes.empty()) return;
    head_closed_ = true;
  }
  if (bytes.size() >= tail_limit_) {
    tail_ = bytes.substr(bytes.size() - tail_limit_);
    return;
  }
  tail_ += bytes;
  if (tail_.size() > tail_limit_) tail_.erase(0, tail_.size() - tail_limit_);
}

void HeadTail::skip(std::uint64_t bytes) {
  if (bytes == 0) return;
  total_ += bytes;
  head_closed_ = true;
  tail_.clear();
}

}  // namespace yonder
