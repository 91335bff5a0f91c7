#include "cli/grammar.h"

#include <memory>

#include "cli/help_text.h"

namespace yonder::cli {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(26); }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    // The whole program's help is written by hand: it says what to do first, not only what exists.
    if (app->get_parent() == nullptr) return top_help();
    return CLI::Formatter::make_help(app, std::move(name), mode);
  }

  // The library does not know what `--` means to us.
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string by_hand = usage_of(app->get_name());
    if (!by_hand.empty()) return by_hand;
    return CLI::Formatter::make_usage(app, std::move(name));
  }
};

void declare_exec(CLI::App& app, RawOptions& raw) {
  CLI::App& exec = *app.add_subcommand("exec", "Run a command in a sandbox");
  add_surroundings(exec, raw);
  exec.add_flag("-n,--no-stdin", raw.no_stdin, "Leave our stdin alone; the command's is empty");
  exec.add_option("--wait", raw.wait, "Wait only this long; the command goes on (exit status 75)")
      ->type_name("TIME");
  exec.add_option("--attach", raw.attach, "Wait for this earlier run instead of starting one")
      ->type_name("RUN_ID");
  exec.add_flag("--json", raw.json, "Print one JSON object at the end instead of the output");
  exec.add_option("--max-output", raw.max_output,
                  "With --json: at most so many characters of stdout and of stderr")
      ->type_name("N");
  exec.add_flag("-q,--quiet", raw.quiet, "No notes on stderr, only failures");
  exec.footer(exec_footer());
}

void declare_looking(CLI::App& app, RawOptions& raw) {
  CLI::App& doctor =
      *app.add_subcommand("doctor", "Look for what is wrong, and say how to mend it");
  add_sandbox(doctor, raw, "Look at this sandbox only");
  doctor.add_flag("--forget-place", raw.forget_place,
                  "Forget where the machine keeps its run records");
  add_patience(doctor, raw);
  doctor.add_flag("--json", raw.json, "Print JSON");
  doctor.footer(doctor_footer());
}

void declare_logins(CLI::App& app, RawOptions& raw) {
  CLI::App& login = *app.add_subcommand("login", "Log in to a sandbox and keep the connection");
  add_sandbox(login, raw, "Sandbox, ssh alias or address");
  login.footer(login_footer());
  CLI::App& logout = *app.add_subcommand("logout", "End a kept login");
  add_sandbox(logout, raw, "Sandbox, ssh alias or address");
}

void declare_services(CLI::App& app, RawOptions& raw) {
  CLI::App& mcp = *app.add_subcommand("mcp", "Serve coding agents over MCP, on stdin and stdout");
  mcp.add_option("--toolsets", raw.toolsets, "Show only these groups of tools")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  mcp.footer(mcp_footer());

  CLI::App& completion = *app.add_subcommand("completion", "Print a completion script");
  completion.add_option("SHELL", raw.shell, "bash, zsh or fish")->type_name("");
  completion.footer(completion_footer());

  CLI::App& man_pages = *app.add_subcommand("man-pages", "Write the manual into a directory");
  man_pages.add_option("DIRECTORY", raw.directory, "Where to")->type_name("");
  man_pages.group("");

  CLI::App& help = *app.add_subcommand("help", "Show the help of a command");
  help.add_option("COMMAND", raw.help_topic, "The command")->type_name("");
}

}  // namespace

void add_sandbox(CLI::App& command, RawOptions& raw, const std::string& description) {
  command.add_option("NAME", raw.sandbox, description)->type_name("");
  add_sandbox_option(command, raw, "The same as NAME");
}

void add_sandbox_option(CLI::App& command, RawOptions& raw, const std::string& description) {
  command.add_option("--sandbox", raw.sandbox_option, description)->type_name("NAME");
}

void add_surroundings(CLI::App& command, RawOptions& raw) {
  add_sandbox(
      command, raw,
      "Sandbox, ssh alias or address (default: the active sandbox); auto: the most idle one");
  command.add_option("--cwd", raw.cwd, "Start in this directory over there")->type_name("DIR");
  command
      .add_option("--env", raw.env,
                  "Set a variable; without =VALUE, to what it is here (repeatable)")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command.add_option("--timeout", raw.timeout, "Stop the command after this time (default: never)")
      ->type_name("TIME");
  command.add_flag("--login", raw.login, "With the environment of your login shell over there");
  command.add_option("--key", raw.key, "A second start with this key attaches to the first run")
      ->type_name("KEY");
  add_needs(command, raw);
}

void declare(CLI::App& app, RawOptions& raw) {
  app.name("yonder");
  app.formatter(std::make_shared<HelpFormatter>());
  app.allow_extras();
  app.set_help_flag("-h,--help", "Show this");
  app.add_flag("--version", raw.version, "Show the version");
  app.require_subcommand(0, 1);
  declare_exec(app, raw);
  declare_runs(app, raw);
  declare_files(app, raw);
  declare_sync(app, raw);
  declare_git_sync(app, raw);
  declare_machines(app, raw);
  declare_settings(app, raw);
  declare_looking(app, raw);
  declare_logins(app, raw);
  declare_services(app, raw);
  app.add_flag("-v,--verbose", raw.verbose, "Say more on stderr");
  for (CLI::App* command : app.get_subcommands({})) {
    command->add_flag("-v,--verbose", raw.verbose, "Say more on stderr");
  }
}

}  // namespace yonder::cli
