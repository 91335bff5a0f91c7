#include "cli/grammar.h"
#include "cli/help_text.h"

namespace yonder::cli {

void declare_settings(CLI::App& app, RawOptions& raw) {
  CLI::App& use = *app.add_subcommand("use", "Make a sandbox the active one");
  add_sandbox(use, raw, "Sandbox or ssh alias; local: this machine");
  use.add_flag("--json", raw.json, "Print JSON");
  use.footer(use_footer());

  CLI::App& add = *app.add_subcommand("add", "Add a sandbox to config.toml");
  add_sandbox(add, raw, "How it is to be called");
  add.add_option("HOST", raw.host, "ssh alias, host or address (user@host:port)")->type_name("");
  add.add_option("--user", raw.user, "Log in as this user")->type_name("USER");
  add.add_option("--port", raw.port, "The port of its ssh server")->type_name("N");
  add.add_option("--key-file", raw.key_file, "Log in with this private key")->type_name("FILE");
  add.add_option("--cwd", raw.cwd, "Where commands start on it")->type_name("DIR");
  add.add_option("--label", raw.labels, "A label to choose it by (repeatable)")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  add.add_flag("--json", raw.json, "Print JSON");
  add.footer(add_footer());

  CLI::App& remove = *app.add_subcommand("remove", "Remove a sandbox from config.toml");
  add_sandbox(remove, raw, "Sandbox");
  remove.add_flag("--json", raw.json, "Print JSON");
  remove.footer(remove_footer());
}

}  // namespace yonder::cli
