#include <string_view>

#include "base/id.h"
#include "base/text.h"
#include "ops/arguments.h"
#include "ops/exec.h"
#include "ops/needs.h"
#include "ops/schema.h"
#include "ops/standing.h"

namespace yonder::ops {
namespace {

constexpr double kMaxSeconds = 30.0 * 24 * 3600;
constexpr double kMaxWaitSeconds = 3600;
constexpr double kMaxOutput = 1000000;
constexpr std::size_t kMaxStdin = 4UL * 1024 * 1024;
constexpr double kDefaultTimeout = 120;
constexpr double kDefaultWait = 50;
constexpr double kDefaultOutput = 20000;

Duration seconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

Json process_schema() {
  return object_schema({{"pid", typed("integer", "Process id over there.")},
                        {"command", typed("string", "Its command line, shortened.")}},
                       {"pid", "command"});
}

bool is_beginning_of_an_id(std::string_view text) {
  if (text.starts_with("r-")) text.remove_prefix(2);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  return !text.empty() && text.size() <= 16 &&
         text.find_first_not_of(kLetters) == std::string_view::npos;
}

}  // namespace

Result<ExecRequest> parse_exec_request(const Json& arguments) {
  Arguments in(arguments);
  ExecRequest request;
  request.run.command = in.text("command", "");
  request.run.cwd = in.optional_text("cwd");
  request.run.timeout = seconds(in.number("timeout_s", kDefaultTimeout, 0.001, kMaxSeconds));
  request.max_output_chars =
      static_cast<std::size_t>(in.whole("max_output_chars", kDefaultOutput, 0, kMaxOutput));
  request.sandbox = in.text("sandbox_name", "");
  request.run.env = in.texts("env");
  request.stdin_text = in.optional_text("stdin");
  request.wait = seconds(in.number("wait_s", kDefaultWait, 0, kMaxWaitSeconds));
  request.run.login = in.flag("login", false);
  request.run.key = in.text("key", "");
  request.needs = parse_needs(in);
  const std::string run_id = in.text("run_id", "");
  const bool blank = trim(request.run.command).empty();
  if (!run_id.empty()) {
    if (!is_beginning_of_an_id(run_id)) {
      const Error error = parse_run_id(run_id).error();
      in.fail("run_id", error.message, error.hint);
    }
    request.run_named = run_id;
    if (!blank) in.fail("command", "cannot be given together with run_id");
    if (asks_for_anything(request.needs)) {
      in.fail("run_id", "names a run that exists: it has what it needs", "leave the needs out");
    }
    if (request.sandbox == kAnyMachine) {
      in.fail("sandbox_name", "cannot be \"auto\" together with run_id", "leave it out");
    }
  } else if (blank) {
    in.fail("command", "must not be empty");
  }
  if (request.stdin_text && request.stdin_text->size() > kMaxStdin) {
    in.fail("stdin", "is longer than 4 MiB", "copy a file there and read it from the command");
  }
  TRY(in.finish());
  return request;
}

Json to_json(const ExecResponse& response) {
  const RunStatus& status = response.status;
  Json left = Json::array();
  for (const auto& process : status.left_running) {
    left.push_back({{"pid", process.pid}, {"command", process.command}});
  }
  Json json{
      {"exit_code", status.exit_code ? Json(*status.exit_code) : Json()},
      {"stdout", response.stdout_text},
      {"stderr", response.stderr_text},
      {"timed_out", status.state == RunState::TimedOut},
      {"connection_error", response.connection_error},
      {"run_id", response.run_id.str()},
      {"sandbox", response.sandbox},
      {"signal", status.signal.empty() ? Json() : Json(status.signal)},
      {"proof", status.proof},
      {"duration_s", status.duration_s ? Json(*status.duration_s) : Json()},
      {"stdout_bytes", response.stdout_bytes},
      {"stderr_bytes", response.stderr_bytes},
      {"truncated", response.truncated},
      {"binary", response.binary},
      {"left_running", left},
      {"attached", response.attached},
      {"gpus", given_gpus_json(status)},
      {"chosen", to_json(response.chosen)},
      {"warnings", response.warnings},
  };
  json.update(standing_json(status.state));
  return json;
}

Json exec_input_schema() {
  Json env = typed("object", "Environment variables to add.");
  env["additionalProperties"] = Json{{"type", "string"}};
  Json properties(
      {{"command", typed("string",
                         "A shell line, run by bash where there is one, else by sh. "
                         "Leave it out only together with run_id.")},
       {"cwd", nullable("string",
                        "Directory to start in; ~ and relative paths are fine. Default: "
                        "the sandbox's own.")},
       {"timeout_s", with_default(typed("number",
                                        "Stop the command, with everything it started, "
                                        "after this many seconds."),
                                  kDefaultTimeout)},
       {"max_output_chars",
        with_default(typed("integer", "Of stdout and of stderr; beyond it the middle is left out."),
                     static_cast<int>(kDefaultOutput))},
       {"sandbox_name",
        with_default(typed("string",
                           "Default: the active sandbox. \"auto\": the most idle one that has "
                           "what is asked for."),
                     "")},
       {"env", env},
       {"stdin", nullable("string", "Text for the command's standard input; closed otherwise.")},
       {"wait_s", with_default(typed("number",
                                     "Return after this many seconds even if it still "
                                     "runs (running or pending: true); the command goes on."),
                               kDefaultWait)},
       {"login", with_default(typed("boolean",
                                    "Use the environment of the user's login shell "
                                    "(conda, nvm, modules)."),
                              false)},
       {"key", with_default(typed("string",
                                  "A second call with the same key attaches to the first "
                                  "run instead of starting another."),
                            "")},
       {"run_id", with_default(typed("string",
                                     "Wait for this earlier run instead of starting one; "
                                     "gives its result. A unique beginning will do."),
                               "")}});
  properties.update(needs_properties());
  return object_schema(properties, {});
}

Json exec_output_schema() {
  Json properties(
      {{"exit_code", nullable("integer",
                              "As a shell gives it: 128+n for signal n, 124 for our "
                              "time limit; null while unknown.")},
       {"stdout", typed("string", "Clean text; the middle may be left out.")},
       {"stderr", typed("string", "Like stdout.")},
       {"timed_out", typed("boolean", "timeout_s was reached and the command was stopped.")},
       {"connection_error",
        typed("boolean", "The machine cannot be seen now; ask again by run_id.")},
       {"run_id", typed("string", "The handle of this run.")},
       {"sandbox", typed("string", "Where it ran.")},
       {"signal", nullable("string", "The signal that ended it.")},
       {"proof", typed("string", "How the state was observed.")},
       {"duration_s", nullable("number", "Of the command itself.")},
       {"stdout_bytes", typed("integer", "What the command really printed.")},
       {"stderr_bytes", typed("integer", "Like stdout_bytes.")},
       {"truncated", typed("boolean",
                           "Something was left out of stdout or stderr, or may have been lost on a "
                           "full disk (see warnings).")},
       {"binary", typed("boolean", "Bytes that are not text were replaced.")},
       {"left_running", list_of(process_schema(), "Processes of this command that still live.")},
       {"attached", typed("boolean", "The run existed before this call.")},
       {"gpus", given_gpus_schema()},
       {"chosen", chosen_schema()},
       {"warnings", list_of(Json{{"type", "string"}}, "What else to know.")}});
  properties.update(standing_schema());
  return result_schema(properties);
}

}  // namespace yonder::ops
