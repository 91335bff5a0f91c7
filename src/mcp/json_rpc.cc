#include "mcp/json_rpc.h"

#include <utility>

#include "base/text.h"
#include "mcp/bounded_json.h"
#include "mcp/salvaged_id.h"

namespace yonder::mcp {
namespace {

// No client has a use for more, and every element may ask for a reply.
constexpr std::size_t kMaxBatch = 1000;

Invalid invalid(Json id, std::string message) {
  return Invalid{std::move(id), {RpcCode::InvalidRequest, std::move(message)}};
}

// Answers are told from broken requests by their keys, so that a broken answer stays an answer.
bool is_response(const Json& message) {
  return !message.contains("method") && (message.contains("result") || message.contains("error"));
}

Message read_message(Json value) {
  if (!value.is_object()) return invalid(nullptr, "a message must be a JSON object");
  if (is_response(value)) return Response{};

  const bool has_id = value.contains("id");
  Json id = has_id ? std::move(value["id"]) : Json(nullptr);
  if (has_id && !is_request_id(id)) {
    return invalid(nullptr, "\"id\" must be a string or a whole number");
  }
  const auto version = value.find("jsonrpc");
  if (version == value.end() || *version != "2.0") {
    return invalid(std::move(id), "\"jsonrpc\" must be \"2.0\"");
  }
  const auto method = value.find("method");
  if (method == value.end() || !method->is_string()) {
    return invalid(std::move(id), "\"method\" must be a string");
  }
  Json params = value.contains("params") ? std::move(value["params"]) : Json(nullptr);
  if (params.is_null()) params = Json::object();
  if (!params.is_object()) return invalid(std::move(id), "\"params\" must be an object");

  std::string name = method->get<std::string>();
  if (!has_id) return Notification{std::move(name), std::move(params)};
  return Request{std::move(id), std::move(name), std::move(params)};
}

}  // namespace

std::variant<Message, Batch> parse_line(std::string_view line) {
  auto value = parse_bounded_json(line);
  if (!value) {
    Salvaged salvaged = salvage(line);
    if (salvaged.is_response) return Response{};
    return Invalid{std::move(salvaged.id), {RpcCode::ParseError, value.error().message}};
  }
  if (!value->is_array()) return read_message(*std::move(value));
  if (value->empty()) return invalid(nullptr, "an empty batch");
  if (value->size() > kMaxBatch) {
    return invalid(nullptr, concat("a batch of more than ", kMaxBatch, " messages"));
  }
  Batch batch;
  batch.reserve(value->size());
  for (Json& element : *value) batch.push_back(read_message(std::move(element)));
  return batch;
}

Json result_reply(const Json& id, Json result) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_reply(const Json& id, const RpcError& error) {
  return Json{{"jsonrpc", "2.0"},
              {"id", id},
              {"error", {{"code", static_cast<int>(error.code)}, {"message", error.message}}}};
}

Json notification(std::string_view method, Json params) {
  return Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kEnough = 100;
  if (text.size() <= kEnough) return concat('"', text, '"');
  return concat('"', text.substr(0, kEnough), "...\"");
}

}  // namespace yonder::mcp
