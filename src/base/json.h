#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace yonder {

// Keys keep their order, so that what people and models read comes in the order we wrote it.
using Json = nlohmann::ordered_json;

// The only place that knows that the library can throw. `what` names the text in the error.
Result<Json> parse_json(std::string_view text, std::string_view what);

// Valid JSON on one line, whatever bytes are inside.
std::string dump_json(const Json& value);

}  // namespace yonder
