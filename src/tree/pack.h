#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yonder::tree {

// Numbers and texts one after the other, as short as they can be: what lists of many thousand
// files are made of. Both ends are of one build, so there is nothing to negotiate.
class Packer {
 public:
  Packer& number(std::uint64_t value) {  // seven bits at a time, low ones first
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
    return *this;
  }
  Packer& integer(std::int64_t value) {  // small negative numbers are short too
    const auto bits = static_cast<std::uint64_t>(value);
    return number(bits << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }
  Packer& text(std::string_view value) {
    number(value.size());
    bytes_ += value;
    return *this;
  }
  Packer& flag(bool value) { return number(value ? 1 : 0); }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  void clear() { bytes_.clear(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

// Never reads beyond its bytes: after the first mistake everything is zero and empty, and ok() is
// false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  std::int64_t integer() {
    const std::uint64_t bits = number();
    return static_cast<std::int64_t>(bits >> 1U ^ ((bits & 1U) != 0 ? ~std::uint64_t{0} : 0));
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) fail();
    const std::string_view value = rest_.substr(0, ok_ ? size : 0);
    rest_.remove_prefix(value.size());
    return value;
  }
  bool flag() { return number() != 0; }
  // What was read makes no sense.
  void reject() { fail(); }

  bool ok() const { return ok_; }
  // Everything was read, and nothing was wrong.
  bool done() const { return ok_ && rest_.empty(); }
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace yonder::tree
