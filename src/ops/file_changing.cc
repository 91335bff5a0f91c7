#include "ops/far_files.h"
#include "ops/file_arguments.h"
#include "ops/file_operations.h"
#include "ops/file_schema.h"
#include "ops/files_json.h"

namespace yonder::ops {
namespace {

Result<Json> call_write(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(auto call, parse_write_file(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.write(std::move(call.request)));
  return to_json(reply);
}

Result<Json> call_edit(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(auto call, parse_edit_file(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.edit(std::move(call.request)));
  return to_json(reply);
}

Result<Json> call_search(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const auto call, parse_search_files(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.search(call.request));
  return to_json(reply, call.request.path);
}

Result<Json> call_move(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(auto call, parse_move_file(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.move(std::move(call.request)));
  return to_json(reply);
}

Result<Json> call_delete(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(auto call, parse_delete_file(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.remove(std::move(call.request)));
  return to_json(reply);
}

Result<Json> call_make_directory(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(auto call, parse_make_directory(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.make_directory(std::move(call.request)));
  return to_json(reply);
}

Result<Json> call_trash(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const auto call, parse_list_trash(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.trash(call.request));
  return to_json(reply);
}

Result<Json> call_restore(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const auto call, parse_restore(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.restore(call.request));
  return to_json(reply);
}

Json hash_property() {
  return nullable("string",
                  "The hash that was read: a Conflict if the file is another by now. \"\": it must "
                  "not exist.");
}

Json batch_property() {
  return nullable("string", "For restore_remote_files.");
}

Operation write_operation() {
  return {.name = "write_remote_file",
          .title = "Write a remote file",
          .toolset = "files",
          .description =
              "Writes a whole file, or appends to one. It appears whole or not at all; the old "
              "content goes to the trash. Through a link the file that it leads to is replaced.",
          .hints = {.read_only = false, .destructive = true, .idempotent = false},
          .input_schema = object_schema(
              with_place({{"content", nullable("string", "The text.")},
                          {"content_base64", nullable("string", "Or the bytes.")},
                          {"mode", nullable("string", "Octal; default: as it was, or 0644.")},
                          {"create_parents",
                           with_default(typed("boolean", "Make missing directories."), false)},
                          {"append", with_default(typed("boolean", "Add at the end."), false)},
                          {"expected_hash", hash_property()}},
                         path_property()),
              {}),
          .output_schema = result_schema(written_properties()),
          .call = call_write};
}

Operation edit_operation() {
  Json output = written_properties();
  output.update(Json{{"replacements", typed("integer", "How many texts were replaced.")},
                     {"diff", typed("string", "What changed, unified.")},
                     {"diff_truncated", typed("boolean", "There is more of it.")}});
  const Json edit = object_schema({{"old_text", typed("string", "Exactly as in the file.")},
                                   {"new_text", typed("string", "Instead of it.")},
                                   {"replace_all", with_default(typed("boolean", ""), false)}},
                                  {"old_text", "new_text"});
  return {
      .name = "edit_remote_file",
      .title = "Edit a remote file",
      .toolset = "files",
      .description =
          "Replaces exact text in a file. The text must be there exactly once, unless "
          "replace_all. All edits are made, or none; the old file goes to the trash.",
      .hints = {.read_only = false, .destructive = true, .idempotent = false},
      .input_schema = object_schema(
          with_place({{"old_text", with_default(typed("string", "Exactly as in the file."), "")},
                      {"new_text", with_default(typed("string", "Instead of it."), "")},
                      {"replace_all", with_default(typed("boolean", "However often."), false)},
                      {"edits", list_of(edit, "Or several, made one after the other.")},
                      {"expected_hash", hash_property()}},
                     path_property()),
          {}),
      .output_schema = result_schema(output),
      .call = call_edit};
}

Json match_properties() {
  return Json{{"path", typed("string", "Below remote_path as given.")},
              {"line", typed("integer", "From 1.")},
              {"column", typed("integer", "Of the first match, in bytes, from 1.")},
              {"text", typed("string", "The line, or the part around the match.")},
              {"shortened", typed("boolean", "The line is longer.")},
              {"before", list_of(Json{{"type", "string"}}, "Lines before it.")},
              {"after", list_of(Json{{"type", "string"}}, "Lines behind it.")},
              {"name_base64", nullable("string", "The bytes of path, when they are not UTF-8.")}};
}

Json search_input() {
  const Json patterns{{"type", "string"}};
  return object_schema(
      with_place(
          {{"pattern", typed("string", "RE2 regular expression, matched within lines.")},
           {"literal", with_default(typed("boolean", "It is plain text."), false)},
           {"include", list_of(patterns, "Only files that match one, such as *.py.")},
           {"excludes", list_of(patterns, "Not these; gitignore syntax.")},
           {"use_gitignore", with_default(typed("boolean", "Leave out what git ignores."), true)},
           {"case_sensitive", with_default(typed("boolean", ""), true)},
           {"context", with_default(typed("integer", "Lines around each match."), 0)},
           {"max_matches", with_default(typed("integer", "Lines at most."), 200)},
           {"max_line_bytes", with_default(typed("integer", "Of each line shown."), 500)},
           {"timeout_s", with_default(typed("number", "Then it ends, truncated."), 20)}},
          with_default(path_property(), ".")),
      {"pattern"});
}

Operation search_operation() {
  return {
      .name = "search_remote_files",
      .title = "Search remote files",
      .toolset = "files",
      .description =
          "Finds lines in the text files below a directory. What git ignores, .git, caches and "
          "files of secrets are left out.",
      .hints = {.read_only = true, .destructive = false, .idempotent = true},
      .input_schema = search_input(),
      .output_schema = result_schema(
          {{"path", typed("string", "Where, absolute.")},
           {"matches", list_of(result_schema(match_properties()), "One a line.")},
           {"files_searched", typed("integer", "")},
           {"files_matched", typed("integer", "")},
           {"binaries_skipped", typed("integer", "Files with NUL bytes.")},
           {"binary_matches", list_of(Json{{"type", "string"}}, "Of these: the pattern is there.")},
           {"ignored", typed("integer", "Files and directories that rules leave out.")},
           {"truncated", typed("boolean", "There may be more.")},
           {"truncated_by", nullable("string", "matches, time or size.")},
           {"errors", problem_list("What could not be read.")}}),
      .call = call_search};
}

Operation move_operation() {
  return {
      .name = "move_remote_file",
      .title = "Move a remote file",
      .toolset = "files",
      .description = "Renames a file or directory, or moves it into an existing directory.",
      .hints = {.read_only = false, .destructive = true, .idempotent = false},
      .input_schema = object_schema(
          with_place({{"new_path", typed("string", "The new name, or a directory.")},
                      {"overwrite",
                       with_default(typed("boolean", "What is there goes to the trash."), false)},
                      {"create_parents",
                       with_default(typed("boolean", "Make missing directories."), false)}},
                     path_property()),
          {"new_path"}),
      .output_schema = result_schema({{"from", typed("string", "Absolute.")},
                                      {"to", typed("string", "Absolute.")},
                                      {"replaced", typed("boolean", "Something was there.")},
                                      {"trash_batch", batch_property()}}),
      .call = call_move};
}

Operation delete_operation() {
  return {.name = "delete_remote_file",
          .title = "Delete a remote file",
          .toolset = "files",
          .description = "Moves a file, link or directory to the trash, for two weeks at most.",
          .hints = {.read_only = false, .destructive = true, .idempotent = false},
          .input_schema = object_schema(
              with_place({{"recursive",
                           with_default(typed("boolean", "A directory with all in it."), false)}},
                         path_property()),
              {}),
          .output_schema = result_schema({{"path", typed("string", "Absolute.")},
                                          {"type", typed("string", "What it was.")},
                                          {"trash_batch", batch_property()}}),
          .call = call_delete};
}

Operation directory_operation() {
  return {
      .name = "make_remote_directory",
      .title = "Make a remote directory",
      .toolset = "files",
      .description = "Makes a directory; one that exists is fine.",
      .hints = {.read_only = false, .destructive = false, .idempotent = true},
      .input_schema = object_schema(
          with_place(
              {{"create_parents", with_default(typed("boolean", "Those above it too."), true)},
               {"mode", nullable("string", "Octal.")}},
              path_property()),
          {}),
      .output_schema = result_schema({{"path", typed("string", "Absolute.")},
                                      {"created", typed("boolean", "false: it was there.")},
                                      {"directories", typed("integer", "How many were made.")}}),
      .call = call_make_directory};
}

Operation trash_operation() {
  const Json batch{{"batch", typed("string", "Its id.")},
                   {"root", typed("string", "Where its paths belong.")},
                   {"why", typed("string", "sync, write, edit, move, delete or restore.")},
                   {"created_at", typed("number", "Unix time over there.")},
                   {"entries", typed("integer", "Files, links and empty directories.")},
                   {"bytes", typed("integer", "On the disk.")},
                   {"counted", typed("boolean", "false: there is more than that.")},
                   {"paths", list_of(Json{{"type", "string"}}, "The first of them.")}};
  return {
      .name = "list_remote_trash",
      .title = "List the remote trash",
      .toolset = "files",
      .description = "What was replaced or deleted on a sandbox and can be restored.",
      .hints = {.read_only = true, .destructive = false, .idempotent = true},
      .input_schema = object_schema(
          {{"batch",
            with_default(
                typed("string", "Only this one, with its paths; a unique beginning is enough."),
                "")},
           {"max_paths", nullable("integer", "Of each batch; default: 5, or 500 of one.")},
           {"sandbox_name", with_default(typed("string", "Default: the active one."), "")}},
          {}),
      .output_schema = result_schema({{"batches", list_of(result_schema(batch), "Newest first.")}}),
      .call = call_trash};
}

Operation restore_operation() {
  return {.name = "restore_remote_files",
          .title = "Restore remote files",
          .toolset = "files",
          .description =
              "Puts a trash batch, or some of its paths, back. What stands there now goes to the "
              "trash, so that a restore can be undone.",
          .hints = {.read_only = false, .destructive = true, .idempotent = false},
          .input_schema = object_schema(
              {{"batch", typed("string",
                               "From list_remote_trash, or from what replaced it; a unique "
                               "beginning is enough.")},
               {"paths", list_of(Json{{"type", "string"}}, "Below its root; default: all.")},
               {"sandbox_name", with_default(typed("string", "Default: the active one."), "")}},
              {"batch"}),
          .output_schema =
              result_schema({{"root", typed("string", "Below which they are now.")},
                             {"restored", typed("integer", "Files and whole directories.")},
                             {"replaced", typed("integer", "What made way for them.")},
                             {"trash_batch", nullable("string", "Undoes it.")},
                             {"failed", problem_list("What could not be restored.")}}),
          .call = call_restore};
}

}  // namespace

std::vector<Operation> changing_file_operations() {
  return {write_operation(),  edit_operation(),      search_operation(), move_operation(),
          delete_operation(), directory_operation(), trash_operation(),  restore_operation()};
}

}  // namespace yonder::ops
