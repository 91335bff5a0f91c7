#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/file_commands.h"
#include "cli/render.h"
#include "ops/files_json.h"

namespace yonder::cli {

int ls_command(const LsOptions& options, const Doors& doors) {
  const auto work = FileWork::begin(doors, options.sandbox);
  if (!work) return fail_before(work.error(), options.json);
  const auto reply = (*work)->files().list({.path = options.path,
                                            .recursive = options.recursive,
                                            .max_entries = options.most,
                                            .max_depth = options.depth});
  if (!reply) return (*work)->fail(reply.error(), options.json, options.path);
  const int status = reply->errors.empty() ? kExitSuccess : kExitProblems;
  if (options.json) {
    return print_json_then(ops::to_json(*reply, options.path), status);
  }
  const Screen shown_on = screen((*work)->engine().environment);
  const std::string text =
      shown_on.terminal ? aligned_table({"MODE", "SIZE", "MODIFIED", "PATH"},
                                        ls_rows(*reply, options.path), SIZE_MAX, shown_on.styled)
                        : tab_separated(ls_fields(*reply, options.path));
  if (const int failed = print_then(text); failed != kExitSuccess) return failed;
  for (const auto& trouble : reply->errors) {
    say(concat(safe_name(ops::path_below(options.path, trouble.path)), ": ", trouble.reason));
  }
  if (reply->truncated) say(concat("there are more than ", options.most, "; see --max"));
  return status;
}

namespace {

std::string_view end_of(std::string_view truncated_by) {
  if (truncated_by == "matches") return "there are more matches; see --max";
  return truncated_by == "time" ? "its time was over" : "the answer is too long";
}

}  // namespace

int grep_command(const GrepOptions& options, const Doors& doors) {
  const auto work = FileWork::begin(doors, options.sandbox);
  if (!work) return fail_before(work.error(), options.json);
  const auto reply = (*work)->files().search({.path = options.path,
                                              .pattern = options.pattern,
                                              .include = options.include,
                                              .exclude = options.exclude,
                                              .use_gitignore = !options.no_gitignore,
                                              .case_sensitive = !options.ignore_case,
                                              .literal = options.fixed,
                                              .context = options.context,
                                              .max_matches = options.most,
                                              .max_line_bytes = 2000,
                                              .time_ms = 60000});
  if (!reply) return (*work)->fail(reply.error(), options.json, options.path);
  const bool found = !reply->matches.empty() || !reply->binary_matches.empty();
  int status = found ? kExitSuccess : kExitProblems;
  if (!reply->errors.empty()) status = kExitUnread;
  if (options.json) {
    return print_json_then(ops::to_json(*reply, options.path), status);
  }
  const int printed = print_then(grep_text(*reply, options.path));
  if (printed != kExitSuccess) return printed;
  for (const auto& path : reply->binary_matches) {
    say(concat(safe_name(ops::path_below(options.path, path)), ": a binary file matches"));
  }
  for (const auto& trouble : reply->errors) {
    say(concat(safe_name(ops::path_below(options.path, trouble.path)), ": ", trouble.reason));
  }
  if (reply->truncated) {
    say(concat("not everything was searched or shown: ", end_of(reply->truncated_by)));
  }
  if (!found && reply->ignored > 0) {
    say(concat("rules have left out ", reply->ignored,
               reply->ignored == 1 ? " file or directory" : " files or directories",
               "; --no-gitignore searches what .gitignore files leave out"));
  }
  return status;
}

}  // namespace yonder::cli
