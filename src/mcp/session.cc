#include "mcp/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "mcp/progress.h"
#include "mcp/tools.h"

namespace yonder::mcp {
namespace {

constexpr std::array<std::string_view, 4> kMethods{"initialize", "ping", "tools/list",
                                                   "tools/call"};

bool wants_reply(const Message& message) {
  return std::holds_alternative<Request>(message) || std::holds_alternative<Invalid>(message);
}

Json make_reply(const Json& id, std::variant<Json, RpcError> outcome) {
  if (const auto* error = std::get_if<RpcError>(&outcome)) return error_reply(id, *error);
  return result_reply(id, std::get<Json>(std::move(outcome)));
}

Error busy() {
  return Error{Errc::Unreachable,
               concat("this session runs ", Calls::kMaxInFlight, " calls already"),
               "wait for one of them to end, then call again"};
}

// The edge where exceptions end: a bug in one operation must not take the others along.
Result<Json> call_guarded(const Tool& tool, ops::CallContext& context, const Json& arguments) {
  try {
    return tool.call(context, arguments);
  } catch (const std::exception& e) {
    log_error("mcp: a tool threw", {{"tool", tool.operation.name}, {"what", e.what()}});
    return Error{Errc::Internal, concat("internal error: ", e.what()), ""};
  }
}

}  // namespace

void Session::on_line(std::string_view line) {
  auto input = parse_line(line);
  if (auto* batch = std::get_if<Batch>(&input)) {
    on_batch(std::move(*batch));
  } else {
    on_message(std::get<Message>(std::move(input)), single_reply(output_));
  }
}

void Session::on_unusable_line(const RpcError& error, const Json& id) {
  output_.send(error_reply(id, error));
}

void Session::on_batch(Batch batch) {
  if (!version_ || !has_batches(*version_)) {
    return on_unusable_line({RpcCode::InvalidRequest, "this protocol version has no batches"});
  }
  const auto expected = std::count_if(batch.begin(), batch.end(), wants_reply);
  const ReplyTo reply = batch_reply(output_, static_cast<std::size_t>(expected));
  for (Message& message : batch) {
    const auto* request = std::get_if<Request>(&message);
    if (request != nullptr && request->method == "initialize") {
      reply(error_reply(request->id, {RpcCode::InvalidRequest, "initialize in a batch"}));
    } else {
      on_message(std::move(message), reply);
    }
  }
}

void Session::on_message(Message message, const ReplyTo& reply) {
  if (auto* request = std::get_if<Request>(&message)) {
    on_request(std::move(*request), reply);
  } else if (const auto* note = std::get_if<Notification>(&message)) {
    on_notification(*note);
  } else if (const auto* invalid = std::get_if<Invalid>(&message)) {
    reply(error_reply(invalid->id, invalid->error));
  } else {
    log_debug("mcp: an answer that nobody asked for");
  }
}

std::optional<RpcError> Session::refusal(const Request& request) const {
  if (calls_.in_flight(request.id)) {
    return RpcError{RpcCode::InvalidRequest, "a request with this id is still being answered"};
  }
  // Clients of the modern era try `server/discover` first and take this as: use `initialize`.
  if (era_of(request.params) == Era::Modern) {
    return RpcError{RpcCode::MethodNotFound,
                    concat("requests that carry their protocol version are not served; "
                           "initialize, with ",
                           name_of(kNewestVersion), " or older")};
  }
  if (std::find(kMethods.begin(), kMethods.end(), request.method) == kMethods.end()) {
    return RpcError{RpcCode::MethodNotFound, concat("no method ", in_quotes(request.method))};
  }
  // That the client also says notifications/initialized is not waited for: nothing depends on it.
  if (!version_ && request.method != "initialize" && request.method != "ping") {
    return RpcError{RpcCode::InvalidRequest, "not initialized: send initialize first"};
  }
  return std::nullopt;
}

void Session::on_request(Request request, const ReplyTo& reply) {
  if (const auto error = refusal(request)) {
    reply(error_reply(request.id, *error));
  } else if (request.method == "initialize") {
    reply(make_reply(request.id, initialize(request.params)));
  } else if (request.method == "ping") {
    reply(result_reply(request.id, Json::object()));
  } else if (request.method == "tools/list") {
    reply(make_reply(request.id, list_tools(request.params)));
  } else {
    call_tool(std::move(request), reply);
  }
}

void Session::on_notification(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return;
  const auto id = notification.params.find("requestId");
  if (id != notification.params.end()) calls_.cancel(*id);
}

// A client may do this again, as bridges do that serve several clients one after the other. The new
// agreement holds for what comes after it; calls under way keep the version they began with.
Session::Outcome Session::initialize(const Json& params) {
  const auto requested = params.find("protocolVersion");
  if (requested == params.end() || !requested->is_string()) {
    return RpcError{RpcCode::InvalidParams, "\"protocolVersion\" must be a string"};
  }
  version_ = negotiate(requested->get<std::string>());
  Json server{{"name", "yonder"}};
  if (has_structured_output(*version_)) server["title"] = "Yonder";
  server["version"] = info_.version;
  return Json{{"protocolVersion", name_of(*version_)},
              {"capabilities", {{"tools", Json::object()}}},
              {"serverInfo", std::move(server)},
              {"instructions", info_.instructions}};
}

Session::Outcome Session::list_tools(const Json& params) const {
  const auto cursor = params.find("cursor");
  if (cursor != params.end() && !cursor->is_null()) {
    return RpcError{RpcCode::InvalidParams, "unknown cursor: the list has one page"};
  }
  return tool_list(tools_, *version_);
}

std::variant<Session::ToolCall, RpcError> Session::read_tool_call(Json params) const {
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) {
    return RpcError{RpcCode::InvalidParams, "\"name\" must be a string"};
  }
  const auto& name_text = name->get_ref<const std::string&>();
  const Tool* tool = find_tool(tools_, name_text);
  if (tool == nullptr) {
    return RpcError{RpcCode::InvalidParams, unknown_tool_message(tools_, name_text)};
  }
  Json token = progress_token(params);
  const auto given = params.find("arguments");
  Json arguments = given == params.end() ? Json(nullptr) : std::move(*given);
  if (arguments.is_null()) arguments = Json::object();
  if (!arguments.is_object()) {
    return RpcError{RpcCode::InvalidParams, "\"arguments\" must be an object"};
  }
  return ToolCall{*tool, std::move(arguments), std::move(token), *version_};
}

void Session::call_tool(Request request, const ReplyTo& reply) {
  auto read = read_tool_call(std::move(request.params));
  if (const auto* error = std::get_if<RpcError>(&read)) {
    return reply(error_reply(request.id, *error));
  }
  auto call = std::get<ToolCall>(std::move(read));
  const Version version = call.version;
  auto work = [this, id = request.id, call = std::move(call)](const Calls::Tokens& tokens) {
    return result_reply(id, run_tool(call, tokens));
  };
  if (!calls_.start(request.id, std::move(work), reply)) {
    reply(result_reply(request.id, call_result(busy(), version)));
  }
}

// Thread: the call's worker.
Json Session::run_tool(const ToolCall& call, const Calls::Tokens& tokens) {
  ProgressReporter progress(output_, call.progress_token, call.version, tokens.cancel);
  ops::CallContext context{choices_,
                           tokens.cancel,
                           tokens.detach,
                           tokens.abandon,
                           [&progress](const std::string& message) {
                             progress.report(message, std::chrono::steady_clock::now());
                           },
                           [&progress](const std::string& message, const ops::Measure& measure) {
                             progress.report(message, measure, std::chrono::steady_clock::now());
                           }};
  const Result<Json> outcome = call_guarded(call.tool, context, call.arguments);
  progress.close();
  return call_result(outcome, call.version);
}

}  // namespace yonder::mcp
