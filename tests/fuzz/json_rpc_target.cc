#include "fuzz/target.h"
#include "mcp/json_rpc.h"
#include "mcp/salvaged_id.h"

// A line of an agent. Each message has an id that may be answered, and every answer is a line.
namespace yonder::fuzz {
namespace {

void require_line(const Json& reply) {
  const std::string line = dump_json(reply);
  require(line.find('\n') == std::string::npos, "a reply is one line");
  require(parse_json(line, "reply").has_value(), "a reply is JSON");
}

void look_at_message(const mcp::Message& message) {
  if (const auto* request = std::get_if<mcp::Request>(&message)) {
    require(mcp::is_request_id(request->id), "a request has an id");
    require(request->params.is_object(), "its parameters are an object");
    const Json reply = mcp::result_reply(request->id, Json::object());
    require(reply.at("id") == request->id, "the reply has the id of its request");
    require_line(reply);
    require(mcp::in_quotes(request->method).size() <= 200, "what is quoted is short");
  } else if (const auto* invalid = std::get_if<mcp::Invalid>(&message)) {
    require(invalid->id.is_null() || mcp::is_request_id(invalid->id), "an error names no other id");
    require(!invalid->error.message.empty(), "an error says what is wrong");
    require_line(mcp::error_reply(invalid->id, invalid->error));
  }
}

void json_rpc(std::string_view bytes) {
  const auto parsed = mcp::parse_line(bytes);
  if (const auto* batch = std::get_if<mcp::Batch>(&parsed)) {
    require(!batch->empty(), "a batch is not empty");
    for (const auto& message : *batch) look_at_message(message);
  } else {
    look_at_message(std::get<mcp::Message>(parsed));
  }
  const auto salvaged = mcp::salvage(bytes);
  require(salvaged.id.is_null() || mcp::is_request_id(salvaged.id), "what is salvaged is an id");
}

const Registered kJsonRpc("json_rpc", json_rpc);

}  // namespace
}  // namespace yonder::fuzz
