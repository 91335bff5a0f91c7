#include "wire/cbor.h"

#include <array>
#include <limits>

namespace yonder::wire {
namespace {

constexpr std::size_t kMaxDepth = 12;
constexpr std::size_t kMaxItems = 1000000;  // each costs the reader some dozen bytes

Error broken(const char* what) {
  return Error{Errc::Protocol, std::string("cbor: ") + what, ""};
}

enum Major : unsigned { kWhole, kNegative, kBytes, kText, kList, kMap, kTag, kSimple };
// Of kSimple.
constexpr std::uint64_t kFalse = 20;
constexpr std::uint64_t kTrue = 21;
constexpr std::uint64_t kNull = 22;

struct Head {
  unsigned major = 0;
  std::uint64_t argument = 0;
  bool short_form = false;
};

Result<Head> take_head(std::string_view& rest) {
  if (rest.empty()) return broken("ends too early");
  const auto first = static_cast<unsigned char>(rest[0]);
  rest.remove_prefix(1);
  Head head{.major = static_cast<unsigned>(first >> 5U), .argument = first & 31U};
  head.short_form = head.argument < 24;
  if (head.short_form) return head;
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

// The bytes behind the item that they begin with.
std::string_view behind(std::string_view bytes) {
  for (std::uint64_t items = 1; items > 0; --items) {
    const auto head = take_head(bytes);
    if (!head) return {};
    if (head->major == kBytes || head->major == kText) bytes.remove_prefix(head->argument);
    if (head->major == kList) items += head->argument;
    if (head->major == kMap) items += 2 * head->argument;
  }
  return bytes;
}

void append_head(std::string& out, Major major, std::uint64_t argument) {
  const auto first = static_cast<unsigned>(major) << 5U;
  if (argument < 24) {
    out += static_cast<char>(first | argument);
    return;
  }
  unsigned power = 0;  // of two: how many bytes
  while (power < 3 && argument >> (8U << power) != 0) ++power;
  out += static_cast<char>(first | (24U + power));
  for (unsigned left = 1U << power; left > 0; --left) {
    out += static_cast<char>(argument >> (8U * (left - 1)) & 255U);
  }
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
    const bool is_string = head.major == kBytes || head.major == kText;
    const bool is_container = head.major == kList || head.major == kMap;
    if (head.major == kTag) return broken("a tag");
    if (is_string) {
      if (head.argument > rest.size()) return broken("a string longer than the message");
      rest.remove_prefix(static_cast<std::size_t>(head.argument));
    }
    if (is_container) {
      // Every item takes at least a byte, so a larger count is a lie.
      if (head.argument > rest.size()) return broken("more items than bytes");
      if (depth == kMaxDepth) return broken("nested too deep");
      open.at(depth) = head.major == kMap ? head.argument * 2 : head.argument;
      ++depth;
    }
  }
  if (!rest.empty()) return broken("bytes after the end");
  return {};
}

CborItem::CborItem(std::string_view bytes) : rest_(bytes) {
  const auto head = take_head(rest_);
  if (!head) return;
  major_ = head->major;
  short_form_ = head->short_form;
  argument_ = head->argument;
}

bool CborItem::is_null() const {
  return major_ == kSimple && short_form_ && argument_ == kNull;
}

std::optional<bool> CborItem::boolean() const {
  if (major_ != kSimple || !short_form_) return std::nullopt;
  if (argument_ != kTrue && argument_ != kFalse) return std::nullopt;
  return argument_ == kTrue;
}

std::optional<std::uint64_t> CborItem::whole_number() const {
  if (major_ != kWhole) return std::nullopt;
  return argument_;
}

std::optional<std::int64_t> CborItem::negative_number() const {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (major_ != kNegative || argument_ > kMost) return std::nullopt;
  return -1 - static_cast<std::int64_t>(argument_);
}

std::optional<std::string_view> CborItem::text() const {
  if (major_ != kText) return std::nullopt;
  return rest_.substr(0, static_cast<std::size_t>(argument_));
}

std::optional<std::vector<CborItem>> CborItem::list() const {
  if (major_ != kList) return std::nullopt;
  std::vector<CborItem> items;
  std::string_view rest = rest_;
  for (std::uint64_t left = argument_; left > 0; --left) {
    items.emplace_back(rest);
    rest = behind(rest);
  }
  return items;
}

std::optional<CborItem::Map> CborItem::map() const {
  if (major_ != kMap) return std::nullopt;
  Map pairs;
  std::string_view rest = rest_;
  for (std::uint64_t left = argument_; left > 0; --left) {
    const auto key = CborItem(rest).text();
    if (!key) return std::nullopt;
    rest = behind(rest);
    pairs.emplace_back(*key, CborItem(rest));
    rest = behind(rest);
  }
  return pairs;
}

void append_cbor_null(std::string& out) {
  append_head(out, kSimple, kNull);
}

void append_cbor(std::string& out, bool value) {
  append_head(out, kSimple, value ? kTrue : kFalse);
}

void append_cbor(std::string& out, std::uint64_t value) {
  append_head(out, kWhole, value);
}

void append_cbor(std::string& out, std::int64_t value) {
  if (value >= 0) return append_head(out, kWhole, static_cast<std::uint64_t>(value));
  append_head(out, kNegative, static_cast<std::uint64_t>(-1 - value));
}

void append_cbor(std::string& out, std::string_view text) {
  append_head(out, kText, text.size());
  out += text;
}

void append_cbor_list(std::string& out, std::size_t items) {
  append_head(out, kList, items);
}

void append_cbor_map(std::string& out, std::size_t pairs) {
  append_head(out, kMap, pairs);
}

}  // namespace yonder::wire
