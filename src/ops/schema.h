#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace yonder::ops {

// Pieces of JSON Schema, so that schemas read like a table.
inline Json typed(const char* type, const char* description) {
  return Json{{"type", type}, {"description", description}};
}

inline Json with_default(Json schema, const Json& value) {
  schema["default"] = value;
  return schema;
}

inline Json nullable(const char* type, const char* description) {
  return Json{{"type", Json::array({type, "null"})}, {"description", description}};
}

inline Json list_of(Json items, const char* description) {
  return Json{{"type", "array"}, {"items", std::move(items)}, {"description", description}};
}

inline Json object_schema(Json properties, const std::vector<std::string>& required) {
  return Json{{"type", "object"},
              {"properties", std::move(properties)},
              {"required", required},
              {"additionalProperties", false}};
}

// Of a result: every key is always there.
inline Json result_schema(const Json& properties) {
  std::vector<std::string> names;
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  return Json{{"type", "object"}, {"properties", properties}, {"required", names}};
}

}  // namespace yonder::ops
