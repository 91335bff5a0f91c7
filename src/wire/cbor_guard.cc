#include "wire/cbor_guard.h"

#include <array>
#include <cstdint>

namespace yonder::wire {
namespace {

constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kMaxItems = 200000;  // each costs the reader some dozen bytes

Error broken(const char* what) {
  return Error{Errc::Protocol, std::string("cbor: ") + what, ""};
}

struct Head {
  unsigned major = 0;
  std::uint64_t argument = 0;
};

Result<Head> take_head(std::string_view& rest) {
  if (rest.empty()) return broken("ends too early");
  const auto first = static_cast<unsigned char>(rest[0]);
  rest.remove_prefix(1);
  Head head{.major = static_cast<unsigned>(first >> 5U), .argument = first & 31U};
  if (head.argument < 24) return head;
  if (head.argument > 27) return broken("an item of indefinite length");
  const std::size_t width = std::size_t{1} << (head.argument - 24);
  if (rest.size() < width) return broken("ends too early");
  head.argument = 0;
  for (std::size_t i = 0; i < width; ++i) {
    head.argument = head.argument << 8U | static_cast<unsigned char>(rest[i]);
  }
  rest.remove_prefix(width);
  return head;
}

}  // namespace

Result<void> check_cbor_shape(std::string_view cbor) {
  std::array<std::uint64_t, kMaxDepth> open{};  // items still to come at each level
  std::size_t depth = 1;
  open[0] = 1;
  std::size_t items = 0;
  std::string_view rest = cbor;
  while (depth > 0) {
    if (open.at(depth - 1) == 0) {
      --depth;
      continue;
    }
    --open.at(depth - 1);
    if (++items > kMaxItems) return broken("too many items");
    TRY_ASSIGN(const Head head, take_head(rest));
    const bool is_string = head.major == 2 || head.major == 3;
    const bool is_container = head.major == 4 || head.major == 5;
    if (head.major == 6) return broken("a tag");
    if (is_string) {
      if (head.argument > rest.size()) return broken("a string longer than the message");
      rest.remove_prefix(static_cast<std::size_t>(head.argument));
    }
    if (is_container) {
      // Every item takes at least a byte, so a larger count is a lie.
      if (head.argument > rest.size()) return broken("more items than bytes");
      if (depth == kMaxDepth) return broken("nested too deep");
      open.at(depth) = head.major == 5 ? head.argument * 2 : head.argument;
      ++depth;
    }
  }
  if (!rest.empty()) return broken("bytes after the end");
  return {};
}

}  // namespace yonder::wire
