#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "base/text.h"
#include "wire/cbor_guard.h"

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
    map_[name] = to_json(value);
  }
  nlohmann::json take() { return std::move(map_); }

 private:
  template <class T>
  static nlohmann::json to_json(T& value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_enum_v<Plain>) {
      return static_cast<std::uint8_t>(value);
    } else if constexpr (std::is_arithmetic_v<Plain> || std::is_same_v<Plain, std::string> ||
                         std::is_same_v<Plain, std::map<std::string, std::string>> ||
                         std::is_same_v<Plain, std::vector<std::string>>) {
      return value;
    } else if constexpr (requires { value.has_value(); }) {
      return value ? to_json(*value) : nlohmann::json();
    } else if constexpr (requires { value.push_back(value.front()); }) {
      auto list = nlohmann::json::array();
      for (auto& item : value) list.push_back(to_json(item));
      return list;
    } else {
      Writer nested;
      fields(nested, value);
      return nested.take();
    }
  }

  nlohmann::json map_ = nlohmann::json::object();
};

// Messages are always whole: both ends are of one build. What lies on a disk may be of an older
// build, which did not know every field.
enum class Missing { IsWrong, KeepsItsDefault };

class Reader {
 public:
  explicit Reader(const nlohmann::json& map, Missing missing = Missing::IsWrong)
      : map_(map), missing_(missing) {
    if (!map_.is_object()) fail("", "is not a map");
  }

  template <class T>
  void operator()(const char* name, T& value) {
    if (error_) return;
    const auto found = map_.find(name);
    if (found == map_.end()) {
      if (missing_ == Missing::IsWrong) fail(name, "is missing");
    } else {
      read(name, *found, value);
    }
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
  void read(const char* name, const nlohmann::json& from, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!from.is_boolean()) return fail(name, "is not a boolean");
      value = from.get<bool>();
    } else if constexpr (std::is_enum_v<T>) {
      // Each enum names its last value, so that no other number becomes one.
      const bool fits = from.is_number_unsigned() &&
                        from.get<std::uint64_t>() <= static_cast<std::uint64_t>(last_of(T{}));
      if (!fits) return fail(name, "is not a known value");
      value = static_cast<T>(from.get<std::uint8_t>());
    } else if constexpr (std::is_integral_v<T>) {
      read_integer(name, from, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!from.is_string()) return fail(name, "is not a string");
      value = from.get_ref<const std::string&>();
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
      if (!from.is_object()) return fail(name, "is not a map");
      for (const auto& [key, item] : from.items()) read(name, item, value[key]);
    } else if constexpr (requires { value.has_value(); }) {
      if (from.is_null()) {
        value.reset();
      } else {
        read(name, from, value.emplace());
      }
    } else if constexpr (requires { value.push_back(value.front()); }) {
      if (!from.is_array()) return fail(name, "is not a list");
      for (const auto& item : from) read(name, item, value.emplace_back());
    } else {
      Reader nested(from, missing_);
      fields(nested, value);
      if (nested.error_) error_ = nested.error_;
    }
  }

  template <class T>
  void read_integer(const char* name, const nlohmann::json& from, T& value) {
    if (from.is_number_unsigned()) {
      const auto number = from.get<std::uint64_t>();
      if (number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
        return fail(name, "is too large");
      }
      value = static_cast<T>(number);
    } else if (from.is_number_integer() && std::is_signed_v<T>) {
      const auto number = from.get<std::int64_t>();
      if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min())) {
        return fail(name, "is too small");
      }
      value = static_cast<T>(number);
    } else {
      fail(name, "is not a whole number");
    }
  }

  const nlohmann::json& map_;
  Missing missing_;
  std::optional<Error> error_;
};

inline std::string cbor_bytes(const nlohmann::json& value) {
  std::string out;
  nlohmann::json::to_cbor(value, out);
  return out;
}

inline Result<nlohmann::json> parse_cbor(std::string_view cbor) {
  TRY(check_cbor_shape(cbor));
  auto map = nlohmann::json::from_cbor(cbor.begin(), cbor.end(), true, false);
  if (map.is_discarded()) return Error{Errc::Protocol, "message: not CBOR", ""};
  return map;
}

template <class T>
std::string to_cbor(const T& message) {
  Writer writer;
  fields(writer, const_cast<T&>(message));  // one list of fields serves both directions
  return cbor_bytes(writer.take());
}

template <class T>
Result<T> from_json_map(const nlohmann::json& map, Missing missing = Missing::IsWrong) {
  T message;
  Reader reader(map, missing);
  fields(reader, message);
  TRY(reader.finish());
  return message;
}

template <class T>
Result<T> from_cbor(std::string_view cbor, Missing missing = Missing::IsWrong) {
  TRY_ASSIGN(const nlohmann::json map, parse_cbor(cbor));
  return from_json_map<T>(map, missing);
}

}  // namespace yonder::wire
