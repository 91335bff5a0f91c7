#include "ops/schema.h"
#include "ops/sync.h"
#include "ops/sync_json.h"

namespace yonder::ops {
namespace {

Json option_properties() {
  Json conflict = with_default(
      typed("string",
            "Target files that somebody changed since the last sync. stop: leave and report them. "
            "both: keep the target's under another name."),
      "stop");
  conflict["enum"] = {"stop", "keep_remote", "keep_local", "both"};
  Json excludes =
      list_of(Json{{"type", "string"}}, "gitignore patterns; a ! brings back, as in !.env.");
  excludes["type"] = Json::array({"array", "null"});
  return Json{
      {"delete_extras",
       with_default(typed("boolean", "Remove from the target what the source does not have."),
                    false)},
      {"confirm_delete",
       nullable("integer", "How many entries may be removed; a refusal says when it is needed.")},
      {"delete_ignored",
       with_default(typed("boolean", "Of these, also what a .gitignore names."), false)},
      {"excludes", excludes},
      {"exclude_file", nullable("string", "A local file with such patterns.")},
      {"use_gitignore", with_default(typed("boolean", "Honour .gitignore files."), false)},
      {"default_excludes",
       with_default(typed("boolean", "Leave out .git, node_modules, .env and the like."), true)},
      {"checksum", with_default(typed("boolean", "Compare contents, not times."), false)},
      {"hard_links", with_default(typed("boolean", "Keep hard links."), false)},
      {"on_conflict", conflict},
      {"trash", with_default(typed("boolean", "Keep what is replaced or removed."), true)},
      {"fsync", with_default(typed("boolean", "Flush each file to the disk."), false)},
      {"sandbox_name", with_default(typed("string", "Default: the active sandbox."), "")}};
}

enum class Form { Waiting, Background };

Json input_schema(sync::Direction direction, Form form) {
  const bool push = direction == sync::Direction::Push;
  Json properties{
      {"local_path", with_default(typed("string", "File or directory here; ~ is fine."),
                                  push ? "." : "./remote_mirror")},
      {"remote_path",
       with_default(typed("string", "Over there; relative to the sandbox's directory."), ".")}};
  properties.update(option_properties());
  if (form == Form::Waiting) {
    properties["dry_run"] =
        with_default(typed("boolean", "Only say what would be done, in plan."), false);
    properties["background"] =
        with_default(typed("boolean", "Do not wait; follow it by task_id."), false);
    properties["wait_s"] =
        with_default(typed("number", "After that it goes on in the background."), 50);
  }
  return object_schema(properties, {});
}

Result<Json> call(Engine& engine, CallContext& context, const Json& arguments,
                  sync::Direction direction) {
  TRY_ASSIGN(SyncCall call, parse_sync_call(arguments, direction));
  TRY_ASSIGN(call.limits, inline_limits(engine.environment));
  TRY_ASSIGN(const auto response, sync_files(engine, context, call, [](const SyncProgress&) {}));
  return to_json(response);
}

Result<Json> call_push(Engine& engine, CallContext& context, const Json& arguments) {
  return call(engine, context, arguments, sync::Direction::Push);
}

Result<Json> call_pull(Engine& engine, CallContext& context, const Json& arguments) {
  return call(engine, context, arguments, sync::Direction::Pull);
}

Result<Json> call_push_background(Engine& engine, CallContext& context, const Json& arguments) {
  Json all = arguments;
  if (all.is_object()) all["background"] = true;
  return call_push(engine, context, all);
}

Operation push_operation() {
  return {
      .name = "sync_local_to_remote",
      .title = "Sync files to a sandbox",
      .toolset = "core",
      .description =
          "Brings a directory or file of a sandbox to the state of a local one. Sends only what "
          "differs; each file appears whole; modes, times and links are kept. What is large "
          "(over 200 files or 64 MiB) or slow goes on in the background: follow task_id with "
          "check_file_transfer_task. left_out says what was not sent and why. With "
          "delete_extras look at dry_run first.",
      .hints = {.read_only = false, .destructive = true, .idempotent = true},
      .input_schema = input_schema(sync::Direction::Push, Form::Waiting),
      .output_schema = sync_output_schema(sync::Direction::Push),
      .call = call_push};
}

Operation push_background_operation() {
  return {.name = "sync_local_to_remote_background",
          .title = "Sync files to a sandbox in the background",
          .toolset = "core",
          .description =
              "As sync_local_to_remote, but returns at once with a task_id. It goes on when this "
              "client ends.",
          .hints = {.read_only = false, .destructive = true, .idempotent = true},
          .input_schema = input_schema(sync::Direction::Push, Form::Background),
          .output_schema = sync_output_schema(sync::Direction::Push),
          .call = call_push_background};
}

Operation pull_operation() {
  return {.name = "sync_remote_to_local",
          .title = "Sync files from a sandbox",
          .toolset = "core",
          .description =
              "The other way round: brings a local directory or file to the state of one on a "
              "sandbox.",
          .hints = {.read_only = false, .destructive = true, .idempotent = true},
          .input_schema = input_schema(sync::Direction::Pull, Form::Waiting),
          .output_schema = sync_output_schema(sync::Direction::Pull),
          .call = call_pull};
}

}  // namespace

std::vector<Operation> sync_operations() {
  return {push_operation(), push_background_operation(), pull_operation()};
}

}  // namespace yonder::ops
