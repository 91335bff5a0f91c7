#pragma once

#include <string_view>
#include <unordered_set>

#include "tree/beneath.h"

namespace yonder::sync {

// Of entries that live longer.
using Paths = std::unordered_set<std::string_view>;

// Whether it is one of these places, or lies in one. Pure.
inline bool is_at_or_below(std::string_view path, const Paths& places) {
  if (places.empty()) return false;
  while (!path.empty() && !places.contains(path)) path = tree::split_path(path).parent;
  return !path.empty();
}

}  // namespace yonder::sync
