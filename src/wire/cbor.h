#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace yonder::wire {

// The part of CBOR (RFC 8949) that messages need: whole numbers, texts, true, false, null, lists
// and maps of definite length.

// Foreign bytes are walked over before anything in them is read: everything must be whole, of
// definite length, untagged and nested no deeper than our own messages are. Nothing is read
// without.
Result<void> check_cbor_shape(std::string_view cbor);

// An item in bytes that check_cbor_shape() has let pass. Its accessors return nothing when it is
// something else. Views, valid as long as the bytes.
class CborItem {
 public:
  using Map = std::vector<std::pair<std::string_view, CborItem>>;

  // The item that begins there.
  explicit CborItem(std::string_view bytes);

  bool is_null() const;
  std::optional<bool> boolean() const;
  std::optional<std::uint64_t> whole_number() const;  // not below zero
  std::optional<std::int64_t> negative_number() const;
  std::optional<std::string_view> text() const;
  std::optional<std::vector<CborItem>> list() const;
  std::optional<Map> map() const;  // in its order; nothing when a key is no text

 private:
  unsigned major_ = 0;
  bool short_form_ = false;  // the argument is in the first byte
  std::uint64_t argument_ = 0;
  std::string_view rest_;  // what comes after the head
};

void append_cbor_null(std::string& out);
void append_cbor(std::string& out, bool value);
void append_cbor(std::string& out, std::uint64_t value);
void append_cbor(std::string& out, std::int64_t value);
void append_cbor(std::string& out, std::string_view text);
// Followed by that many items, or pairs of a text and an item.
void append_cbor_list(std::string& out, std::size_t items);
void append_cbor_map(std::string& out, std::size_t pairs);

}  // namespace yonder::wire
