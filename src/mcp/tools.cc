#include "mcp/tools.h"

#include <utility>

#include "base/text.h"
#include "mcp/json_rpc.h"

namespace yonder::mcp {
namespace {

Json annotations(const ops::Operation& operation, Version version) {
  Json out = Json::object();
  // Before tools had a title of their own, this was its place.
  if (!has_structured_output(version)) out["title"] = operation.title;
  // Always all four: what is left out counts as the worst.
  out["readOnlyHint"] = operation.hints.read_only;
  out["destructiveHint"] = operation.hints.destructive;
  out["idempotentHint"] = operation.hints.idempotent;
  out["openWorldHint"] = operation.hints.open_world;
  return out;
}

Json describe(const ops::Operation& operation, Version version) {
  Json out{{"name", operation.name}};
  if (has_structured_output(version)) out["title"] = operation.title;
  out["description"] = operation.description;
  out["inputSchema"] =
      operation.input_schema.is_object() ? operation.input_schema : Json{{"type", "object"}};
  if (has_structured_output(version) && operation.output_schema.is_object()) {
    out["outputSchema"] = with_failure(operation.output_schema);
  }
  if (has_annotations(version)) out["annotations"] = annotations(operation, version);
  return out;
}

// `may_be_null`: the tool answers with an error of its own, or with none.
Json error_schema(bool may_be_null) {
  const Json text{{"type", "string"}};
  return Json{
      {"type", may_be_null ? Json::array({"object", "null"}) : Json("object")},
      {"description", "Only when the call failed"},
      {"properties",
       {{"code", text}, {"message", text}, {"hint", text}, {"retryable", {{"type", "boolean"}}}}},
      {"required", {"code", "message", "hint", "retryable"}}};
}

}  // namespace

Json with_failure(Json schema) {
  Json success = Json::object();
  if (schema.contains("required")) {
    success["required"] = std::move(schema["required"]);
    schema.erase("required");
  }
  // Two sets of alternatives in one schema must both hold.
  if (schema.contains("anyOf")) {
    success["anyOf"] = std::move(schema["anyOf"]);
    schema.erase("anyOf");
  }
  schema["type"] = "object";
  Json& properties = schema["properties"];
  properties["error"] = error_schema(properties.contains("error"));
  schema["anyOf"] = Json::array({std::move(success), Json{{"required", Json::array({"error"})}}});
  return schema;
}

Json tool_list(const std::vector<Tool>& tools, Version version) {
  Json list = Json::array();
  for (const Tool& tool : tools) list.push_back(describe(tool.operation, version));
  return Json{{"tools", std::move(list)}};
}

const Tool* find_tool(const std::vector<Tool>& tools, std::string_view name) {
  for (const Tool& tool : tools) {
    if (tool.operation.name == name) return &tool;
  }
  return nullptr;
}

std::string unknown_tool_message(const std::vector<Tool>& tools, std::string_view name) {
  constexpr std::size_t kLongestName = 128;  // by the protocol; comparing costs the product
  std::string message = concat("no tool ", in_quotes(name));
  if (name.size() > kLongestName) return message;
  std::vector<std::string> names;
  names.reserve(tools.size());
  for (const Tool& tool : tools) names.push_back(tool.operation.name);
  const std::string suggestion = nearest(name, names);
  if (!suggestion.empty()) message += concat("; did you mean ", suggestion, "?");
  return message;
}

Json call_result(const Result<Json>& outcome, Version version) {
  const Json value = outcome ? *outcome : ops::error_json(outcome.error());
  Json result{{"content", Json::array({{{"type", "text"}, {"text", dump_json(value)}}})}};
  // Only objects are allowed here before 2026-07-28.
  if (has_structured_output(version) && value.is_object()) result["structuredContent"] = value;
  result["isError"] = !outcome.has_value();
  return result;
}

}  // namespace yonder::mcp
