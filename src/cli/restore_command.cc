#include "base/clean_text.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/file_commands.h"
#include "cli/render.h"
#include "ops/files_json.h"

namespace yonder::cli {
namespace {

constexpr std::uint64_t kPathsOfOne = 10000;

int list_batches(const RestoreOptions& options, FileWork& work) {
  const auto reply = work.files().trash(
      {.batch = options.batch, .max_paths = options.batch.empty() ? 1 : kPathsOfOne});
  if (!reply) return work.fail(reply.error(), options.json);
  if (options.json) return print_json_then(ops::to_json(*reply));
  std::string text;
  if (!options.batch.empty()) {
    for (const auto& path : reply->batches.front().paths) text += safe_name(path) + "\n";
    return print_then(text);
  }
  const Screen shown_on = screen(work.engine().environment);
  text = shown_on.terminal ? aligned_table({"BATCH", "WHY", "FILES", "SIZE", "BELOW", "WHAT"},
                                           trash_rows(*reply), shown_on.width, shown_on.styled)
                           : tab_separated(trash_rows(*reply));
  if (reply->batches.empty()) say("nothing was replaced or deleted lately");
  return print_then(text);
}

}  // namespace

int restore_command(const RestoreOptions& options, const Doors& doors) {
  const auto work = FileWork::begin(doors, options.sandbox);
  if (!work) return fail_before(work.error(), options.json);
  if (options.list || options.batch.empty()) return list_batches(options, **work);
  const auto reply = (*work)->files().restore({.batch = options.batch, .paths = options.paths});
  if (!reply) return (*work)->fail(reply.error(), options.json);
  const int status = reply->failed.empty() ? kExitSuccess : kExitProblems;
  if (options.json) return print_json_then(ops::to_json(*reply), status);
  for (const auto& failed : reply->failed) {
    say(concat(safe_name(failed.path), ": ", failed.reason));
  }
  say(concat("restored ", reply->restored, " below ", safe_name(reply->root)));
  if (!reply->batch.empty()) {
    say(concat("what stood there: ", restore_line((*work)->files().sandbox().name, reply->batch)));
  }
  return status;
}

}  // namespace yonder::cli
