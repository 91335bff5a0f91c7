#include "cli/grammar.h"
#include "cli/help_text.h"

namespace yonder::cli {
namespace {

constexpr const char* kWhichRun =
    "A run's id, a unique beginning of it, or its session's name; also as NAME:RUN";

void declare_run(CLI::App& app, RawOptions& raw) {
  CLI::App& run = *app.add_subcommand("run", "Start a command that goes on without us");
  add_surroundings(run, raw);
  run.add_option("--name", raw.session_name, "Name of its session (default: made from its id)")
      ->type_name("SESSION");
  run.add_option("--log", raw.log_file, "Write its output to this file over there")
      ->type_name("FILE");
  run.add_option("--description", raw.description, "What it is for, for whoever looks later")
      ->type_name("TEXT");
  run.add_option("--launcher", raw.launcher,
                 "A systemd scope or a plain session (default: the best there is)")
      ->type_name("scope|session");
  run.add_option("--when", raw.when, "free: wait in a queue until its GPUs are free (default: now)")
      ->type_name("now|free");
  run.add_option("--max-wait", raw.max_wait, "Wait no longer than that")->type_name("TIME");
  run.add_flag("--no-tmux", raw.no_tmux, "Do not show it in a tmux session");
  run.add_flag("--json", raw.json, "Print one JSON object instead of the id");
  run.footer(run_footer());
}

void declare_ps(CLI::App& app, RawOptions& raw) {
  CLI::App& ps = *app.add_subcommand("ps", "Show runs, of all sandboxes at once");
  add_sandbox(ps, raw, "Only of this sandbox");
  ps.add_flag("--all", raw.all, "Also those that ended more than a day ago");
  ps.add_flag("--exec", raw.with_exec, "Also what `yonder exec` and agents ran and waited for");
  ps.add_flag("--scan", raw.scan, "Also look for runs that others started, and note them here");
  add_patience(ps, raw);
  ps.add_flag("--json", raw.json, "Print JSON");
  ps.add_flag("--ids", raw.names, "Print only the ids and sessions that are known here")->group("");
  ps.footer(ps_footer());
}

// What every command about runs knows.
void add_runs(CLI::App& command, RawOptions& raw, bool several) {
  if (several) {
    command.add_option("RUN", raw.runs, kWhichRun)->type_name("");
  } else {
    command.add_option("RUN", raw.run, kWhichRun)->type_name("");
  }
  add_sandbox_option(command, raw, "Where it runs, if that is not known here");
  command.add_flag("--json", raw.json, "Print JSON");
}

void declare_logs(CLI::App& app, RawOptions& raw) {
  CLI::App& logs = *app.add_subcommand("logs", "Show what a run prints");
  add_runs(logs, raw, false);
  logs.add_flag("-f,--follow", raw.follow, "Go on until the run has ended");
  logs.add_option("-n,--lines", raw.lines, "Begin with the last so many lines")->type_name("LINES");
  logs.add_option("--since", raw.since, "Begin at this byte, or with \"all\" at the beginning")
      ->type_name("OFFSET|all");
  logs.add_option("--grep", raw.grep, "Only lines that match this regular expression (RE2)")
      ->type_name("RE");
  logs.footer(logs_footer());
}

void declare_endings(CLI::App& app, RawOptions& raw) {
  CLI::App& wait = *app.add_subcommand("wait", "Wait until runs have ended");
  add_runs(wait, raw, true);
  wait.footer(wait_footer());

  CLI::App& stop = *app.add_subcommand("stop", "End runs, with everything they started");
  add_runs(stop, raw, true);
  stop.add_option("--signal", raw.signal, "The first signal (default: TERM)")->type_name("NAME|N");
  stop.add_option("--grace", raw.grace, "Time between it and KILL (default: 10)")
      ->type_name("TIME");
  stop.footer(stop_footer());
}

}  // namespace

void declare_runs(CLI::App& app, RawOptions& raw) {
  declare_run(app, raw);
  declare_ps(app, raw);
  declare_logs(app, raw);
  declare_endings(app, raw);

  CLI::App& attach = *app.add_subcommand("attach", "Join the tmux session that shows a run");
  add_runs(attach, raw, false);
  attach.footer(attach_footer());

  CLI::App& rm = *app.add_subcommand("rm", "Forget runs that have ended");
  add_runs(rm, raw, true);
  rm.footer(rm_footer());
}

}  // namespace yonder::cli
