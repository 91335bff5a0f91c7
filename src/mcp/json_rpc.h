#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"

namespace yonder::mcp {

// JSON-RPC 2.0 as values: what one line says, and what one reply looks like. Pure.

enum class RpcCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
};

struct RpcError {
  RpcCode code = RpcCode::InvalidRequest;
  std::string message;
};

struct Request {
  Json id;  // a string or a whole number, as the client wrote it
  std::string method;
  Json params;  // an object; {} when the client sent none
};
struct Notification {
  std::string method;
  Json params;  // as above
};
// An answer to a request of ours. It is never answered, or two peers could go on for ever.
struct Response {};
// Wants an error back. The id is null where the message had none that we can trust.
struct Invalid {
  Json id;
  RpcError error;
};
using Message = std::variant<Request, Notification, Response, Invalid>;
using Batch = std::vector<Message>;  // never empty

// Whether a batch is allowed is for the caller to say: it depends on the protocol version.
std::variant<Message, Batch> parse_line(std::string_view line);

Json result_reply(const Json& id, Json result);
Json error_reply(const Json& id, const RpcError& error);
Json notification(std::string_view method, Json params);

// What a client wrote, short enough to be quoted in a message.
std::string in_quotes(std::string_view text);

}  // namespace yonder::mcp
