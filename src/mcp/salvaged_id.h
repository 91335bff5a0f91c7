#pragma once

#include <string_view>

#include "base/json.h"

namespace yonder::mcp {

// What can be read of a message that cannot be read as a whole: it is no JSON, or too much of it.
struct Salvaged {
  Json id;                   // null when there is none, or none that can be read
  bool is_response = false;  // by its keys: it is not to be answered
};
// Pure, in one pass, whatever the text holds.
Salvaged salvage(std::string_view line);

// Whether a value may be the id of a request: a string, or a whole number however it is written.
bool is_request_id(const Json& value);

}  // namespace yonder::mcp
