#include "ops/far_files.h"
#include "ops/file_arguments.h"
#include "ops/file_operations.h"
#include "ops/file_schema.h"
#include "ops/files_json.h"

namespace yonder::ops {
namespace {

Result<Json> call_list(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const auto call, parse_list_files(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.list(call.request));
  return to_json(reply, call.request.path);
}

Result<Json> call_read(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const ReadCall call, parse_read_file(arguments));
  TRY_ASSIGN(FarFiles far, FarFiles::of(engine, context, call.sandbox));
  TRY_ASSIGN(const auto reply, far.read(call.request));
  return to_json(reply, {.base64 = call.base64});
}

Json entry_properties() {
  return Json{{"path", typed("string", "Below remote_path as given; can be given back.")},
              {"is_dir", typed("boolean", "A directory itself, not a link to one.")},
              {"type", typed("string", "file, directory, symlink, fifo, socket, block or char.")},
              {"size", typed("integer", "In bytes.")},
              {"mtime", typed("number", "Unix time over there.")},
              {"mode", typed("string", "Octal.")},
              {"link_target", nullable("string", "Of links, as written; not followed.")},
              {"name_base64", nullable("string", "The bytes of path, when they are not UTF-8.")}};
}

Operation list_operation() {
  return {
      .name = "list_remote_files",
      .title = "List remote files",
      .toolset = "core",
      .description =
          "Lists a directory on the sandbox, sorted, with types, sizes, modes and link targets. "
          "Links below it are not followed.",
      .hints = {.read_only = true, .destructive = false, .idempotent = true},
      .input_schema = object_schema(
          with_place({{"recursive", with_default(typed("boolean", "Everything below too."), false)},
                      {"max_entries", with_default(typed("integer", "No more than these."), 200)},
                      {"max_depth", nullable("integer", "So many levels; makes it recursive.")}},
                     with_default(path_property(), ".")),
          {}),
      .output_schema =
          result_schema({{"path", typed("string", "The directory, absolute.")},
                         {"entries", list_of(result_schema(entry_properties()),
                                             "A directory comes right before what is in it.")},
                         {"truncated", typed("boolean", "There are more.")},
                         {"total", nullable("integer", "How many there are, where that is known.")},
                         {"errors", problem_list("Directories that could not be read.")}}),
      .call = call_list};
}

Json read_input() {
  return object_schema(
      with_place(
          {{"max_bytes", with_default(typed("integer", "At most so much, up to 4 MiB."), 200000)},
           {"offset", nullable("integer", "First byte: the last next_offset.")},
           {"limit", nullable("integer", "How many bytes.")},
           {"line_offset", nullable("integer", "Or the first line, from 1.")},
           {"line_limit", nullable("integer", "How many lines.")},
           {"tail", nullable("integer", "Or the last so many lines.")},
           {"encoding", with_default(typed("string", "text or base64."), "text")}},
          path_property()),
      {});
}

Operation read_operation() {
  return {.name = "read_remote_file",
          .title = "Read a remote file",
          .toolset = "core",
          .description =
              "Reads a file, or some bytes or lines of it. The hash is what write_remote_file and "
              "edit_remote_file take as expected_hash.",
          .hints = {.read_only = true, .destructive = false, .idempotent = true},
          .input_schema = read_input(),
          .output_schema = result_schema(
              {{"path", typed("string", "Absolute.")},
               {"size", typed("integer", "Of the whole file.")},
               {"offset", typed("integer", "Where this part begins.")},
               {"next_offset", typed("integer", "Where the next one does.")},
               {"bytes", typed("integer", "In this part.")},
               {"truncated", typed("boolean", "The file goes on, or the tail did not fit.")},
               {"content", typed("string", "Empty for binary files and for base64.")},
               {"content_base64", nullable("string", "With encoding base64.")},
               {"binary", typed("boolean", "It has NUL bytes.")},
               {"invalid_bytes", typed("integer", "Not UTF-8, shown as U+FFFD.")},
               {"hash", nullable("string", "Of the whole file, up to 8 MiB (XXH3, 64 bits).")},
               {"mtime", typed("number", "Unix time over there.")},
               {"mode", typed("string", "Octal.")},
               {"hint", nullable("string", "What to do about what is not shown.")}}),
          .call = call_read};
}

}  // namespace

std::vector<Operation> looking_file_operations() {
  return {list_operation(), read_operation()};
}

}  // namespace yonder::ops
