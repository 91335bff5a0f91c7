#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yonder {

// Keeps the first and the last bytes of an endless stream and counts the rest.
//
//   HeadTail out(32 * 1024, 32 * 1024);
//   out.append(chunk);
//   out.head(), out.left_out(), out.tail()
class HeadTail {
 public:
  HeadTail(std::size_t head_limit, std::size_t tail_limit)
      : head_limit_(head_limit), tail_limit_(tail_limit) {}

  void append(std::string_view bytes);
  // Bytes that the sender left out itself, between what it sent before and what comes next.
  void skip(std::uint64_t bytes);

  std::uint64_t total() const { return total_; }
  std::uint64_t left_out() const { return total_ - head_.size() - tail_.size(); }
  bool truncated() const { return left_out() != 0; }
  const std::string& head() const { return head_; }
  const std::string& tail() const { return tail_; }

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::uint64_t total_ = 0;
  bool head_closed_ = false;
  std::string head_;
  std::string tail_;
};

}  // namespace yonder
