#include "ops/operation.h"

#include "ops/arguments.h"
#include "ops/exec.h"
#include "ops/file_operations.h"
#include "ops/git_sync.h"
#include "ops/sandboxes.h"
#include "ops/schema.h"
#include "ops/sync.h"
#include "ops/task_operations.h"
#include "ops/transfers.h"

namespace yonder::ops {
namespace {

constexpr double kMaxListSeconds = 45;

Json error_schema() {
  return Json{{"type", Json::array({"object", "null"})},
              {"description", "Why there is no connection: code, message, hint, retryable."}};
}

Json status_properties() {
  return Json{{"name", typed("string", "What sandbox_name takes.")},
              {"backend", typed("string", "ssh or local.")},
              {"host", nullable("string", "ssh alias or host.")},
              {"port", nullable("integer", "null: ssh decides.")},
              {"user", nullable("string", "null: ssh decides.")},
              {"cwd", nullable("string", "Where commands start; null: the home directory.")},
              {"origin", typed("string", "Who configured it.")},
              {"is_active", typed("boolean", "Used when sandbox_name is not given.")},
              {"connection_alive", nullable("boolean", "It answered just now; null: not known.")},
              {"connection_error", error_schema()},
              {"round_trip_ms", nullable("number", "Of the answer.")},
              {"machine", Json{{"type", Json::array({"object", "null"})},
                               {"description", "hostname, system, home, shell."}}},
              {"labels", list_of(Json{{"type", "string"}}, "To choose by.")}};
}

Result<Json> call_list(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  const bool resources = in.flag("check_resources", false);
  const double wait = in.number("wait_s", 0, 0, kMaxListSeconds);
  TRY(in.finish());
  std::optional<Duration> limit;
  if (wait > 0) limit = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wait));
  TRY_ASSIGN(
      const SandboxList list,
      list_sandboxes(engine, context,
                     {.check = resources ? Check::Resources : Check::Connection, .limit = limit}));
  return to_json(list);
}

Result<Json> call_select(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  const std::string name = in.text("sandbox_name", "");
  if (name.empty()) in.fail("sandbox_name", "must not be empty");
  TRY(in.finish());
  TRY(select_sandbox(engine, context, name));
  return Json{{"active_sandbox", name}, {"status", "selected"}};
}

Result<Json> call_active(Engine& engine, CallContext& context, const Json& arguments) {
  TRY(Arguments(arguments).finish());
  TRY_ASSIGN(const SandboxStatus status, get_active_sandbox(engine, context));
  Json json{{"active_sandbox", status.spec.name}};
  json.update(to_json(status));
  return json;
}

Result<Json> call_exec(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const ExecRequest request, parse_exec_request(arguments));
  TRY_ASSIGN(const ExecResponse response, exec(engine, context, request));
  return to_json(response);
}

Json listed_schema() {
  Json schema = result_schema(status_properties());
  schema["properties"]["resources"] =
      typed("object",
            "With check_resources: cpu, memory, disks, gpu (null: not known; []: none), gpu_queue, "
            "idle_score, users, ...; not_measured says why a value is null. Or error.");
  return schema;
}

Operation list_operation() {
  return {.name = "list_sandboxes",
          .title = "List sandboxes",
          .toolset = "core",
          .description =
              "Lists the machines where commands can run, and asks all configured ones at once "
              "whether they answer. Aliases of ~/.ssh/config are listed without being called.",
          .hints = {.read_only = true, .destructive = false, .idempotent = true},
          .input_schema = object_schema(
              {{"check_resources",
                with_default(typed("boolean",
                                   "Also measure CPU, memory, disk and GPUs (who holds them), and "
                                   "how idle it is (idle_score 0 to 1)."),
                             false)},
               {"wait_s", with_default(typed("number",
                                             "Answer after so many seconds, without the machines "
                                             "that have not. 0: after 2 s."),
                                       0)}},
              {}),
          .output_schema = result_schema(
              {{"active_sandbox",
                nullable("string", "Used when sandbox_name is not given; null: give one.")},
               {"sandboxes", list_of(listed_schema(), "All that are known.")},
               {"not_asked", nullable("string", "Aliases that were left out, and what to do.")},
               {"warnings", list_of(Json{{"type", "string"}}, "About the configuration.")}}),
          .call = call_list};
}

Operation select_operation() {
  return {
      .name = "select_sandbox",
      .title = "Select the active sandbox",
      .toolset = "core",
      .description =
          "Makes a sandbox the active one for this session; other sessions are not touched.",
      .hints = {.read_only = false, .destructive = false, .idempotent = true, .open_world = false},
      .input_schema = object_schema(
          {{"sandbox_name", typed("string", "A name from list_sandboxes, or user@host.")}},
          {"sandbox_name"}),
      .output_schema = result_schema({{"active_sandbox", typed("string", "The new one.")},
                                      {"status", typed("string", "selected")}}),
      .call = call_select};
}

Operation active_operation() {
  Json properties{{"active_sandbox", typed("string", "Its name.")}};
  properties.update(status_properties());
  return {.name = "get_active_sandbox",
          .title = "Show the active sandbox",
          .toolset = "core",
          .description = "Says which sandbox is active and whether it answers.",
          .hints = {.read_only = true, .destructive = false, .idempotent = true},
          .input_schema = object_schema(Json::object(), {}),
          .output_schema = result_schema(properties),
          .call = call_active};
}

Operation exec_operation() {
  return {.name = "exec_bash",
          .title = "Run a command",
          .toolset = "core",
          .description =
              "Runs a shell command on a sandbox and waits for it: stdout, stderr and exit code. "
              "Survives a lost connection. If it is not done within wait_s you get running: true "
              "and a run_id; call again with that run_id for the result. At timeout_s the command "
              "and everything it started are stopped. A non-zero exit code is not an error of the "
              "tool.",
          .hints = {},
          .input_schema = exec_input_schema(),
          .output_schema = exec_output_schema(),
          .call = call_exec};
}

}  // namespace

std::vector<Operation> all_operations() {
  std::vector<Operation> all{list_operation(), select_operation(), active_operation(),
                             exec_operation()};
  for (auto& operation : task_operations()) all.push_back(std::move(operation));
  for (auto& operation : looking_file_operations()) all.push_back(std::move(operation));
  for (auto& operation : changing_file_operations()) all.push_back(std::move(operation));
  for (auto& operation : remote_ssh_operations()) all.push_back(std::move(operation));
  for (auto& operation : sync_operations()) all.push_back(std::move(operation));
  for (auto& operation : transfer_operations()) all.push_back(std::move(operation));
  all.push_back(git_sync_operation());
  return all;
}

Json error_json(const Error& error) {
  return Json{{"error",
               {{"code", name_of(error.code)},
                {"message", error.message},
                {"hint", error.hint},
                {"retryable", is_retryable(error.code)}}}};
}

}  // namespace yonder::ops
