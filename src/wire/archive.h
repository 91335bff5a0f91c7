#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "wire/cbor.h"

namespace yonder::wire {

// Messages list their fields once, in a function `fields(archive, message)`; a Writer turns them
// into a CBOR map and a Reader checks and fills them.
//
//   template <class A> void fields(A& a, Pong& pong) { a("id", pong.id); a("text", pong.text); }
//   std::string bytes = to_cbor(pong);
//   Result<Pong> again = from_cbor<Pong>(bytes);

class Writer {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    ++pairs_;
    append_cbor(body_, std::string_view(name));
    put(value);
  }
  std::string take() {
    std::string map;
    append_cbor_map(map, pairs_);
    return map += body_;
  }

 private:
  template <class T>
  void put(T& value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_enum_v<Plain>) {
      append_cbor(body_, static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<Plain, bool>) {
      append_cbor(body_, value);
    } else if constexpr (std::is_integral_v<Plain>) {
      using Widest = std::conditional_t<std::is_signed_v<Plain>, std::int64_t, std::uint64_t>;
      append_cbor(body_, static_cast<Widest>(value));
    } else if constexpr (std::is_same_v<Plain, std::string>) {
      append_cbor(body_, std::string_view(value));
    } else if constexpr (std::is_same_v<Plain, std::map<std::string, std::string>>) {
      append_cbor_map(body_, value.size());
      for (const auto& [key, item] : value) {
        append_cbor(body_, std::string_view(key));
        append_cbor(body_, std::string_view(item));
      }
    } else if constexpr (requires { value.has_value(); }) {
      if (value) {
        put(*value);
      } else {
        append_cbor_null(body_);
      }
    } else if constexpr (requires { value.push_back(value.front()); }) {
      append_cbor_list(body_, value.size());
      for (auto& item : value) put(item);
    } else {
      Writer nested;
      fields(nested, value);
      body_ += nested.take();
    }
  }

  std::string body_;
  std::size_t pairs_ = 0;
};

// Messages are always whole: both ends are of one build. What lies on a disk may be of an older
// build, which did not know every field.
enum class Missing { IsWrong, KeepsItsDefault };

class Reader {
 public:
  explicit Reader(const CborItem& item, Missing missing = Missing::IsWrong) : missing_(missing) {
    if (auto map = item.map()) {
      map_ = *std::move(map);
    } else {
      fail("", "is not a map");
    }
  }

  template <class T>
  void operator()(const char* name, T& value) {
    if (error_) return;
    const CborItem* found = find(name);
    if (found != nullptr) {
      read(name, *found, value);
    } else if (missing_ == Missing::IsWrong) {
      fail(name, "is missing");
    }
  }

  // Null when it is not there.
  const CborItem* find(std::string_view name) {
    for (std::size_t i = 0; i < map_.size(); ++i) {
      // They mostly come in the order in which they are asked for.
      const auto& [key, item] = map_[(next_ + i) % map_.size()];
      if (key != name) continue;
      next_ += i + 1;
      return &item;
    }
    return nullptr;
  }

  Result<void> finish() const {
    if (error_) return *error_;
    return {};
  }

 private:
  void fail(std::string_view name, std::string_view what) {
    if (!error_) error_ = Error{Errc::Protocol, concat("message: field '", name, "' ", what), ""};
  }

  template <class T>
  void read(const char* name, const CborItem& from, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      const auto truth = from.boolean();
      if (!truth) return fail(name, "is not a boolean");
      value = *truth;
    } else if constexpr (std::is_enum_v<T>) {
      // Each enum names its last value, so that no other number becomes one.
      const auto number = from.whole_number();
      const bool fits = number && *number <= static_cast<std::uint64_t>(last_of(T{}));
      if (!fits) return fail(name, "is not a known value");
      value = static_cast<T>(*number);
    } else if constexpr (std::is_integral_v<T>) {
      read_integer(name, from, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      const auto text = from.text();
      if (!text) return fail(name, "is not a string");
      value = *text;
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
      const auto pairs = from.map();
      if (!pairs) return fail(name, "is not a map");
      for (const auto& [key, item] : *pairs) {
        read(name, item, value[std::string(key)]);
        if (error_) return;
      }
    } else if constexpr (requires { value.has_value(); }) {
      if (from.is_null()) {
        value.reset();
      } else {
        read(name, from, value.emplace());
      }
    } else if constexpr (requires { value.push_back(value.front()); }) {
      const auto items = from.list();
      if (!items) return fail(name, "is not a list");
      for (const auto& item : *items) {
        read(name, item, value.emplace_back());
        if (error_) return;  // a list of nothing but wrong items must not cost much
      }
    } else {
      Reader nested(from, missing_);
      fields(nested, value);
      if (nested.error_) error_ = nested.error_;
    }
  }

  template <class T>
  void read_integer(const char* name, const CborItem& from, T& value) {
    if (const auto number = from.whole_number()) {
      if (*number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
        return fail(name, "is too large");
      }
      value = static_cast<T>(*number);
    } else if (const auto negative = from.negative_number(); negative && std::is_signed_v<T>) {
      if (*negative < static_cast<std::int64_t>(std::numeric_limits<T>::min())) {
        return fail(name, "is too small");
      }
      value = static_cast<T>(*negative);
    } else {
      fail(name, "is not a whole number");
    }
  }

  CborItem::Map map_;
  std::size_t next_ = 0;
  Missing missing_;
  std::optional<Error> error_;
};

inline Result<CborItem> parse_cbor(std::string_view cbor) {
  TRY(check_cbor_shape(cbor));
  return CborItem(cbor);
}

template <class T>
std::string to_cbor(const T& message) {
  Writer writer;
  fields(writer, const_cast<T&>(message));  // one list of fields serves both directions
  return writer.take();
}

template <class T>
Result<T> from_item(const CborItem& item, Missing missing = Missing::IsWrong) {
  T message;
  Reader reader(item, missing);
  fields(reader, message);
  TRY(reader.finish());
  return message;
}

template <class T>
Result<T> from_cbor(std::string_view cbor, Missing missing = Missing::IsWrong) {
  TRY_ASSIGN(const CborItem item, parse_cbor(cbor));
  return from_item<T>(item, missing);
}

}  // namespace yonder::wire
