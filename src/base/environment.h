#pragma once

#include <cstdlib>
#include <string>

namespace yonder {

// A variable of this process; empty when it is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace yonder
