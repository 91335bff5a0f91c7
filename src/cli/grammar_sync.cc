#include "cli/grammar.h"
#include "cli/help_text.h"

namespace yonder::cli {
namespace {

void add_rules(CLI::App& command, RawOptions& raw) {
  command.add_option("--exclude", raw.excludes, "Leave this out, as in .gitignore (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command.add_option("--exclude-from", raw.exclude_file, "Leave out what this file says")
      ->type_name("FILE");
  command.add_flag("--gitignore", raw.gitignore, "Leave out what .gitignore files say");
  command.add_flag("--no-default-excludes", raw.no_default_excludes,
                   "Send .git, node_modules, .env and the like too");
}

void add_options(CLI::App& command, RawOptions& raw) {
  command.add_flag("-n,--dry-run", raw.dry_run, "Only say what would be done");
  command.add_flag("--delete", raw.remove_extras, "Remove what the source does not have");
  command
      .add_option("--confirm-delete", raw.confirm_delete, "Yes, so many entries are to be removed")
      ->type_name("N");
  command.add_flag("--delete-ignored", raw.delete_ignored,
                   "With --delete, also what a .gitignore names");
  add_rules(command, raw);
  command
      .add_option("--on-conflict", raw.on_conflict,
                  "Files that were changed in the target since the last time (default: stop)")
      ->type_name("stop|keep_remote|keep_local|both");
  command.add_flag("--checksum", raw.checksum, "Compare contents, not times");
  command.add_flag("--hard-links", raw.hard_links, "Keep hard links");
  command.add_flag("--no-trash", raw.no_trash, "Do not keep what is replaced or removed");
  command.add_flag("--fsync", raw.fsync, "Bring each file to the disk before it gets its name");
  command.add_flag("--background", raw.background, "Do not wait; print the transfer's number");
  command.add_flag("--json", raw.json, "Print one JSON object");
  command.add_flag("-q,--quiet", raw.quiet, "No progress, no summary, only failures");
}

}  // namespace

void declare_sync(CLI::App& app, RawOptions& raw) {
  constexpr const char* kWhere = "Sandbox, ssh alias or address (default: the active sandbox)";
  CLI::App& push = *app.add_subcommand("push", "Bring files over there to the state of those here");
  push.add_option("PATH", raw.paths, "Files or directories here, then where they go over there")
      ->type_name("");
  add_sandbox_option(push, raw, kWhere);
  add_options(push, raw);
  push.footer(push_footer());

  CLI::App& pull = *app.add_subcommand("pull", "Bring files here to the state of those over there");
  pull.add_option("PATH", raw.paths, "Files or directories over there, then where they go here")
      ->type_name("");
  add_sandbox_option(pull, raw, kWhere);
  add_options(pull, raw);
  pull.footer(pull_footer());

  CLI::App& transfers =
      *app.add_subcommand("transfers", "Show syncs that go on in the background, or end one");
  transfers.add_option("ID", raw.transfer, "Only this one, with its log")->type_name("");
  transfers.add_option("--cancel", raw.cancel_transfer, "End this one")->type_name("ID");
  transfers.add_flag("--json", raw.json, "Print JSON");
  transfers.footer(transfers_footer());

  CLI::App& worker = *app.add_subcommand("transfer-worker", "What a transfer runs in");
  worker.group("");
  worker.add_option("--task", raw.transfer, "Which")->type_name("ID");
}

}  // namespace yonder::cli
