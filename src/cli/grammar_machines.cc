#include "cli/grammar.h"
#include "cli/help_text.h"

namespace yonder::cli {

void add_needs(CLI::App& command, RawOptions& raw) {
  command.add_option("--gpus", raw.gpus, "So many free GPUs, reserved for the run")->type_name("N");
  command.add_option("--gpu-memory", raw.gpu_memory, "So much free memory on each of them")
      ->type_name("MB");
  command.add_option("--memory", raw.memory, "So much memory must be available")->type_name("MB");
  command.add_option("--disk", raw.disk, "So much disk must be free where it starts")
      ->type_name("MB");
  command.add_option("--label", raw.labels, "The sandbox must have this label (repeatable)")
      ->type_name("LABEL")
      ->allow_extra_args(false);
}

void add_patience(CLI::App& command, RawOptions& raw) {
  command
      .add_option("--wait", raw.wait, "Wait so long for machines that do not answer (default: 2)")
      ->type_name("TIME");
}

static void add_machines(CLI::App& command, RawOptions& raw, const char* description) {
  command.add_option("NAME", raw.machines, description)->type_name("");
  command.add_option("--sandbox", raw.more_machines, "The same as NAME (repeatable)")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void declare_machines(CLI::App& app, RawOptions& raw) {
  CLI::App& hosts = *app.add_subcommand("hosts", "Show all sandboxes");
  hosts.add_option("NAME", raw.machines, "Only these sandboxes")->type_name("");
  hosts.add_flag("--check", raw.check, "Connect to them, and show whether they answer");
  hosts.add_flag("--resources", raw.resources,
                 "Connect to them, and show what they have, and how idle they are");
  add_patience(hosts, raw);
  hosts.add_flag("--json", raw.json, "Print JSON");
  hosts.add_flag("--names", raw.names, "Print only the names")->group("");
  hosts.footer(hosts_footer());

  CLI::App& gpus = *app.add_subcommand("gpus", "Show all GPUs, and who has them");
  add_machines(gpus, raw, "Only of these sandboxes");
  add_patience(gpus, raw);
  gpus.add_flag("--json", raw.json, "Print JSON");
  gpus.footer(gpus_footer());

  CLI::App& top = *app.add_subcommand("top", "Watch machines, runs and transfers");
  add_machines(top, raw, "Only these sandboxes");
  top.add_option("--interval", raw.interval, "Look again after this time (default: 2)")
      ->type_name("TIME");
  top.add_flag("--once", raw.once, "Look once, print a table and exit");
  add_patience(top, raw);
  top.add_flag("--json", raw.json, "Print one JSON object a line, at each look");
  top.footer(top_footer());
}

}  // namespace yonder::cli
