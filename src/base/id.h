#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace yonder {

// Strings that must not be mixed up get types of their own: Id<struct RunTag>.
template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string value) : value_(std::move(value)) {}
  const std::string& str() const { return value_; }
  bool empty() const { return value_.empty(); }
  bool operator==(const Id&) const = default;
  bool operator<(const Id& other) const { return value_ < other.value_; }

 private:
  std::string value_;
};

using RunId = Id<struct RunTag>;

// `letters` characters of [a-z2-7] from the system's random source: five bits each.
std::string random_letters(std::size_t letters);

// "r-" and 16 letters: 80 bits, so that no two clients ever meet.
RunId new_run_id();

// A run id names a directory over there, so nothing else than such an id may pass.
Result<RunId> parse_run_id(std::string_view text);

}  // namespace yonder
