#include "cli/grammar.h"
#include "cli/help_text.h"

namespace yonder::cli {
namespace {

// What every command about files knows.
void add_files(CLI::App& command, RawOptions& raw, const char* name, const char* about) {
  command.add_option(name, raw.paths, about)->type_name("");
  add_sandbox_option(command, raw, "Sandbox, ssh alias or address (default: the active)");
}

void add_json(CLI::App& command, RawOptions& raw) {
  command.add_flag("--json", raw.json, "Print JSON");
}

void declare_looking_at_files(CLI::App& app, RawOptions& raw) {
  CLI::App& ls = *app.add_subcommand("ls", "List files over there");
  add_files(ls, raw, "PATH",
            "A directory or file, also as NAME:PATH (default: the sandbox's directory)");
  ls.add_flag("-R,--recursive", raw.recursive, "Everything below too");
  ls.add_option("--depth", raw.depth, "So many levels")->type_name("N");
  ls.add_option("--max", raw.most, "At most so many entries (default: 1000)")->type_name("N");
  add_json(ls, raw);
  ls.footer(ls_footer());

  CLI::App& cat = *app.add_subcommand("cat", "Print files over there");
  add_files(cat, raw, "PATH", "Files, also as NAME:PATH");
  cat.add_option("--lines", raw.lines, "Only these lines, counted from 1")
      ->type_name("FIRST[:LAST]");
  cat.add_option("--tail", raw.tail, "Only the last so many lines")->type_name("N");
  cat.add_option("--bytes", raw.bytes, "Only these bytes")->type_name("OFFSET[:COUNT]");
  add_json(cat, raw);
  cat.footer(cat_footer());

  CLI::App& grep = *app.add_subcommand("grep", "Find lines in files over there");
  add_files(grep, raw, "PATTERN",
            "A regular expression (RE2), then a directory or file, also as NAME:PATH");
  grep.add_option("--include", raw.include, "Only files that match, such as '*.py' (repeatable)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  grep.add_option("--exclude", raw.exclude, "Not these (repeatable)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  grep.add_flag("-i,--ignore-case", raw.ignore_case, "Capitals or not");
  grep.add_flag("-F,--fixed", raw.fixed, "The pattern is plain text");
  grep.add_option("-C,--context", raw.context, "So many lines around each match")->type_name("N");
  grep.add_option("--max", raw.most, "At most so many lines (default: 1000)")->type_name("N");
  grep.add_flag("--no-gitignore", raw.no_gitignore, "Also what git ignores");
  add_json(grep, raw);
  grep.footer(grep_footer());
}

}  // namespace

void declare_files(CLI::App& app, RawOptions& raw) {
  declare_looking_at_files(app, raw);

  CLI::App& write = *app.add_subcommand("write", "Write a file over there, from stdin");
  add_files(write, raw, "PATH", "The file, also as NAME:PATH");
  write.add_option("--from", raw.from, "Take this file's content instead of stdin")
      ->type_name("FILE");
  write.add_flag("--append", raw.append, "Add to the end");
  write.add_flag("-p,--parents", raw.parents, "Make missing directories");
  write.add_option("--mode", raw.mode, "Its permissions, such as 0644")->type_name("MODE");
  write
      .add_option("--expect", raw.expected_hash,
                  "Only if it still has this hash; '' only if it does not exist")
      ->type_name("HASH");
  add_json(write, raw);
  write.footer(write_footer());

  CLI::App& edit = *app.add_subcommand("edit", "Edit a file over there in your own editor");
  add_files(edit, raw, "PATH", "The file, also as NAME:PATH; a new one is made");
  edit.footer(edit_footer());

  CLI::App& restore = *app.add_subcommand("restore", "Bring back what was replaced or deleted");
  add_files(restore, raw, "BATCH",
            "Its id, also as NAME:BATCH, then the paths (default: all of it)");
  restore.add_flag("--list", raw.list, "Only show the batches, or what is in this one");
  add_json(restore, raw);
  restore.footer(restore_footer());

  CLI::App& trash = *app.add_subcommand("trash", "Show what the trash holds, or empty it");
  add_sandbox(trash, raw, "Sandbox, ssh alias or address (default: the active sandbox)");
  trash.add_flag("--empty", raw.empty, "Remove what is in it, for good");
  trash.add_option("--older-than", raw.older_than, "Only what is older, such as 2h or 3d")
      ->type_name("TIME");
  trash.add_flag("-y,--yes", raw.yes, "With --empty: do not ask");
  add_json(trash, raw);
  trash.footer(trash_footer());
}

}  // namespace yonder::cli
