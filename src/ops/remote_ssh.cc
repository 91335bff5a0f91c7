#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "ops/arguments.h"
#include "ops/background.h"
#include "ops/exec.h"
#include "ops/resolve.h"
#include "ops/schema.h"
#include "ops/standing.h"
#include "ops/task_operations.h"
#include "run/runs.h"
#include "store/store.h"

// The tool set `remote-ssh`: three tools with the names and parameters that its users know.

namespace yonder::ops {
namespace {

constexpr double kMaxTimeoutMs = 24.0 * 3600 * 1000;
constexpr double kDefaultTimeoutMs = 120000;
constexpr double kMaxLine = 1e12;
constexpr double kDefaultLimit = 2000;
constexpr double kMaxLimit = 100000;
constexpr std::size_t kMaxOutput = 30000;
constexpr std::uint64_t kMaxFile = 400000;
constexpr auto kReadTime = std::chrono::seconds(50);
constexpr const char* kReader = "remote_bash_output";

Duration milliseconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(value));
}

// One text, as a terminal would show it: errors are not dropped because there was output too.
std::string joined(const ExecResponse& response) {
  std::string text = response.stdout_text;
  if (!text.empty() && !response.stderr_text.empty() && text.back() != '\n') text += '\n';
  return text + response.stderr_text;
}

Json bash_result(const std::string& output, const RunStatus& status, const RunId& id,
                 const std::vector<std::string>& warnings) {
  Json json{{"output", output},
            {"exit_code", status.exit_code ? Json(*status.exit_code) : Json()},
            {"timed_out", status.state == RunState::TimedOut},
            {"bash_id", id.str()},
            {"warnings", warnings}};
  json.update(standing_json(status.state));
  return json;
}

Result<Json> in_background(Engine& engine, CallContext& context, const std::string& command,
                           const std::string& description) {
  BackgroundRequest request{.description = description, .tmux = false};
  request.run.command = command;
  TRY_ASSIGN(const BackgroundResponse response, start_background(engine, context, request));
  return bash_result("", response.status, response.run_id, response.warnings);
}

Result<Json> call_bash(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  const std::string command = in.text("command", "");
  const std::string description = in.text("description", "");
  const bool background = in.flag("run_in_background", false);
  const double timeout = in.number("timeout", kDefaultTimeoutMs, 1, kMaxTimeoutMs);
  if (trim(command).empty()) in.fail("command", "must not be empty");
  TRY(in.finish());
  if (background) return in_background(engine, context, command, description);
  ExecRequest request{.max_output_chars = kMaxOutput};
  request.run.command = command;
  request.run.timeout = milliseconds(timeout);
  TRY_ASSIGN(const ExecResponse response, exec(engine, context, request));
  return bash_result(joined(response), response.status, response.run_id, response.warnings);
}

// What the client has for certain is written down; the last answer it may never have got. So a
// client that begins anew may be told something twice, and nothing is left out.
std::uint64_t read_so_far(Engine& engine, const Session& session, const RunId& id,
                          std::vector<std::string>& warnings) {
  const auto told = session.told(id);
  if (!told) {
    const auto cursor = engine.store.cursor(kReader, id);
    return cursor ? *cursor : 0;
  }
  if (const auto moved = engine.store.move_cursor(kReader, id, *told); !moved) {
    warnings.push_back(
        concat("how far it was read could not be written down: ", moved.error().message));
  }
  return *told;
}

Result<Json> call_output(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  CheckRequest request{.task = {.run_id = in.text("bash_id", "")}, .max_output_chars = kMaxOutput};
  request.filter = in.text("filter", "");
  const bool all = in.flag("all", false);
  if (request.task.run_id.empty()) in.fail("bash_id", "must not be empty");
  TRY(in.finish());
  TRY_ASSIGN(const FoundTask found, find_task(engine, context.session, request.task));
  std::vector<std::string> warnings;
  request.offset = all ? 0 : read_so_far(engine, context.session, *found.id, warnings);
  TRY_ASSIGN(CheckResponse response, check_task(engine, context, request));
  response.warnings.insert(response.warnings.end(), warnings.begin(), warnings.end());
  const RunStatus status = response.task ? response.task->status : RunStatus{};
  std::string output = response.log_tail;
  if (response.task && response.task->kind == "exec") {
    // A command that outlived its call has a stderr of its own, which belongs to the answer.
    ExecRequest whole{.sandbox = found.sandbox.name,
                      .run_id = *found.id,
                      .wait = Duration::zero(),
                      .max_output_chars = kMaxOutput};
    TRY_ASSIGN(const ExecResponse seen, exec(engine, context, whole));
    output = joined(seen);
    response.warnings = warnings_of(seen.status);
  }
  Json json = bash_result(output, status, *found.id, response.warnings);
  json["offset"] = response.offset;
  json["next_offset"] = response.next_offset;
  json["truncated"] = response.truncated;
  // A client that has given the call up does not get the answer.
  const bool given_up = context.cancel.cancelled() || context.detach.cancelled();
  if (!response.connection_error && !given_up) {
    context.session.tell(*found.id, response.next_offset);
  }
  return json;
}

// As `cat -n` shows it, but with the numbers that the lines really have.
std::string numbered(std::string_view text, std::uint64_t first) {
  constexpr std::size_t kWidth = 6;
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string number = std::to_string(first++);
    out.append(number.size() < kWidth ? kWidth - number.size() : 0, ' ');
    out += concat(number, "\t", text.substr(0, end), "\n");
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

// sed is wherever sh is. No shell stands between, so the name needs no quoting.
RunRequest read_lines(const std::string& path, const SandboxSpec& sandbox, std::uint64_t first,
                      std::uint64_t last) {
  RunRequest run;
  const bool at_home = path.starts_with("~/");
  std::string name = at_home ? path.substr(2) : path;
  if (!name.starts_with('/')) name.insert(0, "./");
  run.cwd = at_home ? "~" : sandbox.cwd;
  run.argv = {"sed", "-n", concat(first, ",", last, "p;", last, "q"), name};
  run.timeout = kReadTime;
  return run;
}

struct FileLines {
  std::string text;   // whole lines, byte for byte
  std::string words;  // of complaint
  run::Outcome outcome;
  bool cut = false;
};

// The beginning, and never a piece from behind a gap: its lines would get wrong numbers.
Result<FileLines> fetch_lines(Engine& engine, CallContext& context, const SandboxSpec& sandbox,
                              const RunRequest& run) {
  FileLines lines;
  run::Listener listener;
  listener.cancel = context.cancel;
  listener.detach = context.detach;
  listener.abandon = context.detach;  // only a look
  listener.on_output = [&](wire::Channel channel, std::uint64_t, std::string_view bytes) {
    (channel == wire::Channel::Out ? lines.text : lines.words) += bytes;
  };
  TRY_ASSIGN(
      lines.outcome,
      engine.runs.start(sandbox, run, {.wait = kReadTime, .bounds = run::Bounds{.head = kMaxFile}},
                        listener));
  lines.cut = lines.outcome.out_bytes > lines.text.size();
  if (lines.cut) lines.text.resize(lines.text.find_last_of('\n') + 1);
  return lines;
}

Error cannot_read(const std::string& path, const FileLines& lines) {
  const RunStatus& status = lines.outcome.status;
  const std::string what = concat("file_path: cannot read '", printable(path), "'");
  if (!has_ended(status.state)) {
    return Error{Errc::Unreachable, what + " now: the machine does not answer", "try again"};
  }
  return Error{Errc::NotFound, concat(what, ": ", trim(clean_text(lines.words).text)),
               "give an absolute path, ~/..., or one relative to the sandbox's directory"};
}

Result<Json> call_read(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  const std::string path = in.text("file_path", "");
  const auto first = static_cast<std::uint64_t>(in.whole("offset", 1, 1, kMaxLine));
  const auto count = static_cast<std::uint64_t>(in.whole("limit", kDefaultLimit, 1, kMaxLimit));
  if (path.empty()) in.fail("file_path", "must not be empty");
  TRY(in.finish());
  TRY_ASSIGN(const SandboxSpec sandbox, resolve_sandbox(engine, context.session, ""));
  TRY_ASSIGN(
      const FileLines lines,
      fetch_lines(engine, context, sandbox, read_lines(path, sandbox, first, first + count - 1)));
  const RunStatus& status = lines.outcome.status;
  if (status.state != RunState::Exited || status.exit_code != 0) return cannot_read(path, lines);
  const auto shown =
      static_cast<std::uint64_t>(std::count(lines.text.begin(), lines.text.end(), '\n'));
  return Json{{"content", numbered(lines.text, first)},
              {"file_path", path},
              {"offset", first},
              {"next_offset", first + shown},
              {"truncated", lines.cut},
              {"binary", clean_text(lines.text).binary}};
}

Json strings(const char* about) {
  return list_of(Json{{"type", "string"}}, about);
}

Json bash_properties() {
  Json json{{"output", typed("string", "stdout, then stderr.")},
            {"exit_code", nullable("integer", "null: it has not ended.")},
            {"timed_out", typed("boolean", "It was stopped at its timeout.")},
            {"bash_id", typed("string", "For remote_bash_output; valid after a restart too.")},
            {"warnings", strings("What else should be known.")}};
  json.update(standing_schema());
  return json;
}

Operation bash_operation() {
  return {
      .name = "remote_bash",
      .title = "Run a remote command",
      .toolset = "remote-ssh",
      .description = "Runs a shell command on the remote machine, or starts it in the background.",
      .hints = {},
      .input_schema = object_schema(
          {{"command", typed("string", "A shell line.")},
           {"description", with_default(typed("string", "What it does; kept with it."), "")},
           {"run_in_background", with_default(typed("boolean", "Return at once."), false)},
           {"timeout",
            with_default(typed("number", "Milliseconds; then it is stopped."), kDefaultTimeoutMs)}},
          {"command"}),
      .output_schema = result_schema(bash_properties()),
      .call = call_bash};
}

Operation output_operation() {
  Json properties = bash_properties();
  properties.update(Json{{"offset", typed("integer", "Where this part begins.")},
                         {"next_offset", typed("integer", "Where the next one will.")},
                         {"truncated", typed("boolean", "The middle was left out.")}});
  return {.name = "remote_bash_output",
          .title = "Read a background command's output",
          .toolset = "remote-ssh",
          .description =
              "What a background command printed since the last look, and its state. A new client "
              "is told the last part again, which its predecessor may not have got.",
          .hints = {.read_only = true, .destructive = false, .idempotent = false},
          .input_schema = object_schema(
              {{"bash_id", typed("string", "From remote_bash.")},
               {"filter", with_default(typed("string", "RE2: only lines it is found in."), "")},
               {"all", with_default(typed("boolean", "From the beginning again."), false)}},
              {"bash_id"}),
          .output_schema = result_schema(properties),
          .call = call_output};
}

Operation read_operation() {
  return {
      .name = "remote_file_read",
      .title = "Read a remote file",
      .toolset = "remote-ssh",
      .description = "Lines of a text file, with their numbers.",
      .hints = {.read_only = true, .destructive = false, .idempotent = true},
      .input_schema = object_schema(
          {{"file_path", typed("string", "Absolute, ~/..., or relative.")},
           {"offset", with_default(typed("number", "First line, counted from 1."), 1)},
           {"limit", with_default(typed("number", "How many lines."), kDefaultLimit)}},
          {"file_path"}),
      .output_schema = result_schema({{"content", typed("string", "Number, tab, line.")},
                                      {"file_path", typed("string", "As given.")},
                                      {"offset", typed("integer", "The first line's number.")},
                                      {"next_offset", typed("integer", "Go on there.")},
                                      {"truncated", typed("boolean", "There was no room for all.")},
                                      {"binary", typed("boolean", "Bytes were replaced.")}}),
      .call = call_read};
}

}  // namespace

std::vector<Operation> remote_ssh_operations() {
  return {bash_operation(), output_operation(), read_operation()};
}

}  // namespace yonder::ops
