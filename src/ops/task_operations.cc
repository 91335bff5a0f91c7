#include "ops/task_operations.h"

#include "base/text.h"
#include "ops/arguments.h"
#include "ops/background.h"
#include "ops/needs.h"
#include "ops/schema.h"
#include "ops/standing.h"

namespace yonder::ops {
namespace {

constexpr double kMaxLines = 100000;
constexpr double kMaxOutput = 1000000;
constexpr double kMaxWaitSeconds = 3600;
constexpr double kMaxGraceSeconds = 3600;
constexpr double kMaxOffset = 9e15;
constexpr double kMaxListSeconds = 40;
constexpr int kListedTasks = 50;
constexpr int kMostListedTasks = 500;

Duration seconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

// Either word: a task is started with a session_name.
std::string session_of(Arguments& in) {
  std::string session = in.text("tmux_session", "");
  std::string name = in.text("session_name", "");
  if (session.empty() || name.empty() || session == name) return session.empty() ? name : session;
  in.fail("session_name", "means the same as tmux_session, and they differ", "give one of them");
  return session;
}

TaskRef parse_ref(Arguments& in) {
  return {.run_id = in.text("run_id", ""),
          .session = session_of(in),
          .log_file = in.text("log_file", ""),
          .sandbox = in.text("sandbox_name", "")};
}

bool names_nothing(const TaskRef& ref) {
  return ref.run_id.empty() && ref.session.empty() && ref.log_file.empty();
}

Json ref_properties() {
  return Json{
      {"run_id", with_default(typed("string", "From the start; a unique beginning will do."), "")},
      {"tmux_session", with_default(typed("string", "Or its session name."), "")},
      {"session_name", with_default(typed("string", "The same."), "")},
      {"sandbox_name",
       with_default(typed("string", "Only needed for what is not known here."), "")}};
}

Json process_list() {
  return list_of(object_schema({{"pid", typed("integer", "Process id over there.")},
                                {"command", typed("string", "Its command line, shortened.")}},
                               {"pid", "command"}),
                 "Processes of its tree that still live.");
}

Json status_properties() {
  Json properties = standing_schema();
  properties.update(
      Json{{"proof", typed("string", "By what the state is known.")},
           {"exit_code", nullable("integer", "128+n for signal n, 124 for our limit.")},
           {"signal", nullable("string", "That ended it.")},
           {"started_at", nullable("number", "Unix time over there.")},
           {"ended_at", nullable("number", "Unix time over there.")},
           {"duration_s", nullable("number", "How long it ran.")},
           {"left_running", process_list()},
           {"gpus", given_gpus_schema()},
           {"queue", queue_schema()}});
  return properties;
}

Json strings(const char* about) {
  return list_of(Json{{"type", "string"}}, about);
}

Result<Json> call_background(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const BackgroundRequest request, parse_background_request(arguments));
  TRY_ASSIGN(const BackgroundResponse response, start_background(engine, context, request));
  return to_json(response);
}

Result<Json> call_check(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const CheckRequest request, parse_check_request(arguments));
  TRY_ASSIGN(const CheckResponse response, check_task(engine, context, request));
  return to_json(response);
}

Result<Json> call_stop(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const StopTaskRequest request, parse_stop_request(arguments));
  TRY_ASSIGN(const StopTaskResponse response, stop_task(engine, context, request));
  return to_json(response);
}

Result<Json> call_list(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  ListTasksRequest request{.sandbox = in.optional_text("sandbox_name"),
                           .all = in.flag("all", false)};
  if (request.sandbox && request.sandbox->empty()) request.sandbox.reset();
  const double wait = in.number("wait_s", 0, 0, kMaxListSeconds);
  if (wait > 0) request.wait = seconds(wait);
  const ListPage page{
      .skip = static_cast<std::size_t>(in.whole("skip", 0, 0, kMaxOffset)),
      .limit = static_cast<std::size_t>(in.whole("limit", kListedTasks, 1, kMostListedTasks))};
  TRY(in.finish());
  TRY_ASSIGN(TaskList list, list_tasks(engine, context, request));
  return page_json(std::move(list), page);
}

Operation background_operation() {
  return {.name = "exec_bash_background",
          .title = "Start a background task",
          .toolset = "core",
          .description =
              "Starts a long-running shell command that goes on when this call, this client or the "
              "connection ends, and returns its run_id at once. Follow it with "
              "check_background_task (wait_s instead of polling), end it with "
              "stop_background_task. Give a key if you may have to retry: it is never started "
              "twice.",
          .hints = {},
          .input_schema = background_input_schema(),
          .output_schema = background_output_schema(),
          .call = call_background};
}

Json check_input() {
  Json properties = ref_properties();
  properties.update(Json{
      {"log_file", with_default(typed("string", "Or any log file over there."), "")},
      {"watch_id", with_default(typed("integer", "Or its watch."), 0)},
      {"last_n_lines", with_default(typed("integer", "How many of the last lines."), 50)},
      {"offset", nullable("integer", "Only what is new from this byte on: the last next_offset.")},
      {"filter", with_default(typed("string", "RE2: only lines it is found in."), "")},
      {"wait_s",
       with_default(typed("number", "Wait so long for its end, or for new (matching) output."), 0)},
      {"max_output_chars", with_default(typed("integer", "Of log_tail; the end is kept."), 20000)},
      {"raw", with_default(typed("boolean", "The bytes as base64, untouched."), false)}});
  return object_schema(properties, {});
}

Operation check_operation() {
  Json properties = status_properties();
  properties.update(
      Json{{"run_id", nullable("string", "null: not started by Yonder.")},
           {"sandbox", typed("string", "Where it is.")},
           {"tmux_session", nullable("string", "That shows it.")},
           {"session_name", nullable("string", "Its name.")},
           {"log_file", nullable("string", "Absolute path over there.")},
           {"log_tail", typed("string", "Cleaned: bars folded, repeats counted, no escapes.")},
           {"log_base64", nullable("string", "With raw.")},
           {"log_size", typed("integer", "Of the whole log, in bytes.")},
           {"offset", typed("integer", "Where this part begins.")},
           {"next_offset", typed("integer", "Give it as offset next time.")},
           {"matches", typed("integer", "Lines that the filter was found in.")},
           {"searched_from", nullable("integer", "The filter saw the log from this byte on.")},
           {"truncated", typed("boolean", "Bytes in between were left out.")},
           {"binary", typed("boolean", "Bytes had to be replaced.")},
           {"connection_error", typed("boolean", "The machine cannot be asked now.")},
           {"last_state", nullable("string", "What was seen before, if it cannot be seen now.")},
           {"last_seen_at", nullable("number", "When.")},
           {"watch_id", nullable("integer", "Of its watch.")},
           {"warnings", strings("What else should be known.")}});
  return {.name = "check_background_task",
          .title = "Check a background task",
          .toolset = "core",
          .description =
              "State, exit code and log of a background task. With offset: only what is new. With "
              "wait_s: returns as soon as it ends or prints something (matching filter). Also for "
              "tmux sessions and logs that Yonder did not start.",
          .hints = {.read_only = true, .destructive = false, .idempotent = true},
          .input_schema = check_input(),
          .output_schema = result_schema(properties),
          .call = call_check};
}

Operation stop_operation() {
  Json input = ref_properties();
  input.update(Json{{"signal", with_default(typed("string", "Sent first."), "TERM")},
                    {"grace_s", with_default(typed("number", "Then KILL."), 10)}});
  Json output = status_properties();
  output.update(Json{{"run_id", nullable("string", "Which.")},
                     {"sandbox", typed("string", "Where.")},
                     {"gone", typed("boolean", "Nothing of it was seen alive.")},
                     {"had_ended", typed("boolean", "It had ended before; state says how.")},
                     {"connection_error", typed("boolean", "It could not be confirmed.")},
                     {"warnings", strings("What else should be known.")}});
  return {.name = "stop_background_task",
          .title = "Stop a background task",
          .toolset = "core",
          .description =
              "Ends a task and everything it started: the signal, a grace, then KILL. gone: true "
              "only when that was seen; otherwise left_running says what still lives.",
          .hints = {.read_only = false, .destructive = true, .idempotent = true},
          .input_schema = object_schema(input, {}),
          .output_schema = result_schema(output),
          .call = call_stop};
}

Operation list_operation() {
  Json task = status_properties();
  for (const char* name : {"run_id", "kind", "key", "session_name", "tmux_session", "log_file",
                           "launcher", "last_state"}) {
    task[name] = nullable("string", "");
  }
  for (const char* name : {"sandbox", "command", "description", "cwd"})
    task[name] = typed("string", "");
  for (const char* name : {"created_at", "last_seen_at"})
    task[name] = nullable("number", "Unix time.");
  task["log_bytes"] = typed("integer", "");
  const Json place{{"sandbox", typed("string", "")},
                   {"connection_alive", typed("boolean", "It answered.")},
                   {"connection_error", Json{{"type", Json::array({"object", "null"})}}},
                   {"last_seen_at", nullable("number", "Unix time.")},
                   {"more", typed("boolean", "There are older ones.")}};
  return {
      .name = "list_background_tasks",
      .title = "List background tasks",
      .toolset = "core",
      .description =
          "All background tasks on all sandboxes (asked at once), also those of other clients "
          "and of earlier days. Use it before starting something that may run already.",
      .hints = {.read_only = true, .destructive = false, .idempotent = true},
      .input_schema = object_schema(
          {{"sandbox_name", nullable("string", "Only this one.")},
           {"all",
            with_default(
                typed("boolean",
                      "Also those that ended over a day ago, and exec_bash commands left running."),
                false)},
           {"wait_s", with_default(typed("number",
                                         "How long machines may take to answer. 0: 2 s, where "
                                         "several are asked."),
                                   0)},
           {"limit", with_default(typed("integer", "How many at most."), kListedTasks)},
           {"skip", with_default(typed("integer", "Leave out so many: the rest of a list."), 0)}},
          {}),
      .output_schema = result_schema({{"tasks", list_of(result_schema(task),
                                                        "Unfinished ones first, then newest first; "
                                                        "long texts are cut.")},
                                      {"more", typed("integer", "So many follow: ask with skip.")},
                                      {"sandboxes", list_of(result_schema(place), "Who answered.")},
                                      {"warnings", strings("What else should be known.")}}),
      .call = call_list};
}

}  // namespace

Result<CheckRequest> parse_check_request(const Json& arguments) {
  Arguments in(arguments);
  CheckRequest request{.task = parse_ref(in)};
  request.last_n_lines = static_cast<std::uint64_t>(in.whole("last_n_lines", 50, 0, kMaxLines));
  const double offset = in.whole("offset", -1, 0, kMaxOffset);
  if (offset >= 0) request.offset = static_cast<std::uint64_t>(offset);
  request.filter = in.text("filter", "");
  const double wait = in.number("wait_s", 0, 0, kMaxWaitSeconds);
  if (wait > 0) request.wait = seconds(wait);
  request.max_output_chars =
      static_cast<std::size_t>(in.whole("max_output_chars", 20000, 0, kMaxOutput));
  request.raw = in.flag("raw", false);
  const double watch = in.whole("watch_id", 0, 0, kMaxOffset);
  if (watch > 0 && names_nothing(request.task)) {
    in.fail("watch_id", "nothing is watched yet", "give run_id, tmux_session or log_file");
  } else if (names_nothing(request.task)) {
    in.fail("run_id", "give run_id, tmux_session or log_file",
            "list_background_tasks shows what there is");
  }
  TRY(in.finish());
  return request;
}

Result<StopTaskRequest> parse_stop_request(const Json& arguments) {
  Arguments in(arguments);
  StopTaskRequest request;
  request.task = {.run_id = in.text("run_id", ""),
                  .session = session_of(in),
                  .sandbox = in.text("sandbox_name", "")};
  request.grace = seconds(in.number("grace_s", 10, 0, kMaxGraceSeconds));
  const std::string signal = in.text("signal", "TERM");
  if (names_nothing(request.task)) {
    in.fail("run_id", "give run_id or tmux_session", "list_background_tasks shows what there is");
  }
  TRY(in.finish());
  TRY_ASSIGN(request.signal, parse_signal(signal));
  return request;
}

std::vector<Operation> task_operations() {
  return {background_operation(), check_operation(), stop_operation(), list_operation()};
}

}  // namespace yonder::ops
