#pragma once

#include <cstddef>
#include <string_view>

#include "base/json.h"

namespace yonder::mcp {

// Generous for any honest client. Depth: values are destroyed and written recursively. Keys: an
// ordered object finds its keys by walking, so many keys cost the square. Values: each takes
// several times the memory of its text.
struct JsonBounds {
  std::size_t depth = 200;
  std::size_t keys = 1000;  // of one object
  std::size_t values = 1'000'000;
};

// Parses text that a stranger wrote; what breaks a bound is refused before anything is built.
Result<Json> parse_bounded_json(std::string_view text, const JsonBounds& bounds = {});

}  // namespace yonder::mcp
