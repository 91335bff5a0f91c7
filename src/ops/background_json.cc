#include "base/text.h"
#include "ops/arguments.h"
#include "ops/background.h"
#include "ops/needs.h"
#include "ops/schema.h"
#include "ops/standing.h"
#include "ops/watch_arguments.h"

namespace yonder::ops {
namespace {

constexpr double kMaxSeconds = 365.0 * 24 * 3600;
constexpr std::size_t kMaxSession = 100;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

void check_session_name(Arguments& in, const std::string& name) {
  if (name.size() > kMaxSession) in.fail("session_name", "is longer than 100 bytes");
  if (!name.empty() && trim(name).empty()) in.fail("session_name", "must not be blank");
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      return in.fail("session_name", "must not hold control characters");
    }
  }
}

}  // namespace

Result<BackgroundRequest> parse_background_request(const Json& arguments) {
  Arguments in(arguments);
  BackgroundRequest request;
  request.run.command = in.text("command", "");
  request.session_name = in.text("session_name", "");
  request.log_file = in.text("log_file", "");
  request.run.cwd = in.optional_text("cwd");
  request.sandbox = in.text("sandbox_name", "");
  request.run.env = in.texts("env");
  request.run.key = in.text("key", "");
  request.run.login = in.flag("login", false);
  request.description = in.text("description", "");
  request.needs = parse_needs(in);
  parse_queue(in, request.needs, request.run);
  const double timeout = in.number("timeout_s", 0, 0, kMaxSeconds);
  if (timeout > 0) {
    request.run.timeout =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(timeout));
  }
  if (trim(request.run.command).empty()) in.fail("command", "must not be empty");
  check_session_name(in, request.session_name);
  request.warnings = check_watch_arguments(in);
  TRY(in.finish());
  return request;
}

Json to_json(const BackgroundResponse& response) {
  const bool unknown = response.connection_error || response.status.state == RunState::Unknown;
  const char* status = unknown ? "unknown" : response.status.queue ? "queued" : "started";
  Json json{{"status", status},
            {"run_id", response.run_id.str()},
            {"sandbox", response.sandbox},
            {"proof", response.status.proof},
            {"session_name", response.session_name},
            {"tmux_session", text_or_null(response.tmux_session)},
            {"log_file", text_or_null(response.log_file)},
            {"launcher", text_or_null(response.launcher)},
            {"launch_recovered", response.launch_recovered},
            {"connection_error", response.connection_error},
            {"queue", queue_json(response.status)},
            {"gpus", given_gpus_json(response.status)},
            {"chosen", to_json(response.chosen)},
            {"watch_id", Json()},
            {"warnings", response.warnings}};
  json.update(standing_json(response.status.state));
  return json;
}

Json background_input_schema() {
  Json env = typed("object", "Environment variables to add.");
  env["additionalProperties"] = Json{{"type", "string"}};
  Json properties{
      {"command", typed("string", "A shell line, run by bash where there is one, else by sh.")},
      {"session_name",
       with_default(typed("string", "A name for people; no two live runs share one."), "")},
      {"log_file",
       with_default(typed("string", "Where the output goes; default: kept by Yonder."), "")},
      {"cwd", nullable("string", "Directory to start in. Default: the sandbox's own.")},
      {"sandbox_name",
       with_default(typed("string", "Default: the active one. \"auto\": the most idle that fits."),
                    "")},
      {"env", env},
      {"key", with_default(typed("string", "The same key again finds the same run."), "")},
      {"login", with_default(typed("boolean", "With the login shell's environment."), false)},
      {"timeout_s", with_default(typed("number", "Stop it then; 0: never."), 0)},
      {"description", with_default(typed("string", "What it is for, in a few words."), "")}};
  properties.update(needs_properties());
  properties.update(queue_properties());
  properties.update(watch_properties());
  return object_schema(properties, {"command"});
}

Json background_output_schema() {
  Json properties(
      {{"status", typed("string",
                        "started; queued while it waits for GPUs; unknown when the "
                        "link was lost.")},
       {"run_id", typed("string", "The handle, for every later call.")},
       {"sandbox", typed("string", "Where it runs.")},
       {"proof", typed("string", "By what that is known.")},
       {"session_name", typed("string", "Its name.")},
       {"tmux_session", nullable("string", "Shows its output; null: none (yet).")},
       {"log_file", nullable("string", "Absolute path over there.")},
       {"launcher", nullable("string", "What keeps it alive: scope or session.")},
       {"launch_recovered", typed("boolean", "It had been started before, by this key or try.")},
       {"connection_error", typed("boolean", "Not known now whether it started; ask by run_id.")},
       {"queue", queue_schema()},
       {"gpus", given_gpus_schema()},
       {"chosen", chosen_schema()},
       {"watch_id", nullable("integer", "Of the watch; null: not watched.")},
       {"warnings", list_of(Json{{"type", "string"}}, "What else should be known.")}});
  properties.update(standing_schema());
  return result_schema(properties);
}

}  // namespace yonder::ops
