#include "ops/arguments.h"
#include "ops/schema.h"
#include "ops/transfers.h"

namespace yonder::ops {
namespace {

constexpr double kMaxId = 9e15;
constexpr double kMaxTransferLines = 10000;
constexpr double kMaxTransferWait = 3600;
constexpr double kMaxListed = 200;

Duration to_duration(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

std::int64_t task_id(Arguments& in) {
  const double id = in.whole("task_id", 0, 1, kMaxId);
  if (id < 1) in.fail("task_id", "is missing", "list_file_transfer_tasks shows all");
  return static_cast<std::int64_t>(id);
}

Result<Json> call_check_transfer(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  const CheckTransferRequest request{
      .id = task_id(in),
      .last_lines = static_cast<std::size_t>(in.whole("last_n_lines", 50, 0, kMaxTransferLines)),
      .wait = to_duration(in.number("wait_s", 0, 0, kMaxTransferWait))};
  TRY(in.finish());
  TRY_ASSIGN(const CheckTransferResponse response, check_transfer(engine, context, request));
  return to_json(response);
}

Result<Json> call_cancel_transfer(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  const std::int64_t id = task_id(in);
  const Duration limit = to_duration(in.number("force_kill_after_s", 5, 0, kMaxTransferWait));
  TRY(in.finish());
  TRY_ASSIGN(const auto response, cancel_transfer(engine, context, id, limit));
  return to_json(response);
}

Result<Json> call_list_transfers(Engine& engine, CallContext& context, const Json& arguments) {
  Arguments in(arguments);
  const auto limit = static_cast<std::size_t>(in.whole("limit", 20, 1, kMaxListed));
  TRY(in.finish());
  context.progress("looking");
  TRY_ASSIGN(const auto list, list_transfers(engine, limit));
  Json tasks = Json::array();
  for (const auto& transfer : list) tasks.push_back(to_json(transfer));
  return Json{{"tasks", tasks}};
}

Json object_or_null(const char* about) {
  return Json{{"type", Json::array({"object", "null"})}, {"description", about}};
}

Json task_properties() {
  return Json{
      {"task_id", typed("integer", "Which.")},
      {"status",
       typed("string",
             "queued, running, completed, failed, cancelled, or unknown (on another host).")},
      {"running", nullable("boolean", "Its worker was seen alive just now; null: not known.")},
      {"pending", nullable("boolean", "Its worker comes up; null: not known.")},
      {"stale", typed("boolean", "Its worker is gone without a word; sync again to go on.")},
      {"complete", nullable("boolean", "Of a completed one: false when something failed.")},
      {"direction", typed("string", "local_to_remote, remote_to_local or git_sync.")},
      {"sandbox", typed("string", "Where.")},
      {"local_path", typed("string", "Here.")},
      {"remote_path", typed("string", "There.")},
      {"pid", nullable("integer", "Of the worker.")},
      {"cancel_requested", typed("boolean", "Somebody wants it to end.")},
      {"created_at", nullable("number", "Unix time.")},
      {"started_at", nullable("number", "Unix time.")},
      {"updated_at", nullable("number", "Unix time of its last sign of life.")},
      {"finished_at", nullable("number", "Unix time.")},
      {"progress", typed("object", "phase, files, bytes, rate, left_s, current_path.")},
      {"error", object_or_null("Why it failed: code, message, hint, retryable.")}};
}

Json id_schema() {
  return typed("integer", "From the sync, or from list_file_transfer_tasks.");
}

Operation check_transfer_operation() {
  Json output = task_properties();
  output["result"] = object_or_null("As the sync itself would have answered.");
  output["log_file"] = typed("string", "On this machine.");
  output["log_tail"] = typed("string", "Its last lines.");
  return {.name = "check_file_transfer_task",
          .title = "Check a file transfer",
          .toolset = "core",
          .description =
              "State, progress and result of a sync that goes on in the background. With wait_s: "
              "returns as soon as it ends. complete: false means that it is done, but something "
              "failed or is in conflict: see result.",
          .hints = {.read_only = true, .destructive = false, .idempotent = true},
          .input_schema = object_schema(
              {{"task_id", id_schema()},
               {"last_n_lines", with_default(typed("integer", "Of its log."), 50)},
               {"wait_s", with_default(typed("number", "Wait so long for its end."), 0)}},
              {"task_id"}),
          .output_schema = result_schema(output),
          .call = call_check_transfer};
}

Operation cancel_transfer_operation() {
  return {.name = "cancel_file_transfer_task",
          .title = "Cancel a file transfer",
          .toolset = "core",
          .description =
              "Ends a background sync and says what was seen. No half file stays under its final "
              "name; the same sync later continues where it stopped.",
          .hints = {.read_only = false, .destructive = true, .idempotent = true},
          .input_schema = object_schema(
              {{"task_id", id_schema()},
               {"force_kill_after_s", with_default(typed("number", "Then KILL."), 5)}},
              {"task_id"}),
          .output_schema =
              result_schema({{"task_id", typed("integer", "Which.")},
                             {"status", typed("string", "As it is now.")},
                             {"stale", typed("boolean", "Its worker was gone already.")},
                             {"terminated", typed("boolean", "It ended when it was asked to.")},
                             {"force_killed", typed("boolean", "It had to be killed.")},
                             {"already_finished", typed("boolean", "It had ended before.")},
                             {"error", object_or_null("It could not be ended.")}}),
          .call = call_cancel_transfer};
}

Operation list_transfers_operation() {
  return {.name = "list_file_transfer_tasks",
          .title = "List file transfers",
          .toolset = "core",
          .description =
              "Background syncs of this machine, newest first, also of earlier sessions and other "
              "agents.",
          .hints = {.read_only = true, .destructive = false, .idempotent = true},
          .input_schema =
              object_schema({{"limit", with_default(typed("integer", "At most."), 20)}}, {}),
          .output_schema = result_schema(
              {{"tasks", list_of(result_schema(task_properties()), "Newest first.")}}),
          .call = call_list_transfers};
}

}  // namespace

std::vector<Operation> transfer_operations() {
  return {check_transfer_operation(), cancel_transfer_operation(), list_transfers_operation()};
}

}  // namespace yonder::ops
