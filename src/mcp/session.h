#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "mcp/calls.h"
#include "mcp/json_rpc.h"
#include "mcp/protocol.h"
#include "mcp/reply_to.h"
#include "mcp/server.h"
#include "mcp/stdio.h"
#include "ops/engine.h"

namespace yonder::mcp {

// One client: what was agreed on, which method does what, and the calls under way. Thread: the
// reader's, but for run_tool.
class Session {
 public:
  Session(const ServerInfo& info, const std::vector<Tool>& tools, Output& output)
      : info_(info), tools_(tools), output_(output) {}

  void on_line(std::string_view line);
  // What it wanted is not known, and its id only perhaps.
  void on_unusable_line(const RpcError& error, const Json& id = nullptr);
  // The client is gone: calls stop waiting. What it has asked for is begun, and goes on. Returns
  // when all workers have ended.
  void finish() { calls_.finish(); }

 private:
  using Outcome = std::variant<Json, RpcError>;
  struct ToolCall {
    const Tool& tool;
    Json arguments;
    Json progress_token;
    Version version;
  };

  void on_batch(Batch batch);
  void on_message(Message message, const ReplyTo& reply);
  void on_request(Request request, const ReplyTo& reply);
  void on_notification(const Notification& notification);

  std::optional<RpcError> refusal(const Request& request) const;
  Outcome initialize(const Json& params);
  Outcome list_tools(const Json& params) const;
  std::variant<ToolCall, RpcError> read_tool_call(Json params) const;
  void call_tool(Request request, const ReplyTo& reply);
  Json run_tool(const ToolCall& call, const Calls::Tokens& tokens);

  const ServerInfo& info_;
  const std::vector<Tool>& tools_;
  Output& output_;
  ops::Session choices_;
  std::optional<Version> version_;  // nothing before `initialize`
  Calls calls_;                     // last: its workers use the others
};

}  // namespace yonder::mcp
