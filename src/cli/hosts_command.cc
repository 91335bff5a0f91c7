#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/hosts_table.h"
#include "cli/one_line.h"
#include "cli/render.h"
#include "ops/sandboxes.h"

namespace yonder::cli {
namespace {

int fail(const HostsOptions& options, const Error& error) {
  show_failure(error, format_of(options.json));
  return kExitFailure;
}

std::string names(const ops::SandboxList& list) {
  std::string text;
  for (const auto& status : list.sandboxes) text += concat(one_line(status.spec.name), "\n");
  return text;
}

ops::Check check_of(const HostsOptions& options) {
  if (options.names) return ops::Check::Nothing;
  if (options.resources) return ops::Check::Resources;
  return options.check ? ops::Check::Connection : ops::Check::Nothing;
}

int show_table(const HostsTable& table, const std::vector<Row>& fields, const Screen& shown_on) {
  const std::string text =
      shown_on.terminal ? aligned_table(table.header, table.rows, shown_on.width, shown_on.styled)
                        : tab_separated(fields);
  return print_then(text);
}

}  // namespace

int hosts_command(const HostsOptions& options, const Doors& doors) {
  // A check is over in a moment: whoever was asked would be given up while typing, and the shell
  // would get the rest.
  auto engine = doors.silent_engine();
  if (!engine) return fail(options, engine.error());
  ops::Session session;
  ops::CallContext context{.session = session};
  const auto list = ops::list_sandboxes(**engine, context,
                                        {.check = check_of(options),
                                         .limit = options.wait,
                                         .names = options.sandboxes,
                                         .aliases = ops::Aliases::Many});
  if (!list) return fail(options, list.error());
  if (options.names) return print_then(names(*list));
  if (options.json) return print_json_then(ops::to_json(*list));
  const Screen shown_on = screen((*engine)->environment);
  const HostsTable table =
      options.resources ? resources_table(*list) : hosts_table(*list, options.check);
  const int status = show_table(
      table, options.resources ? table.rows : hosts_fields(*list, options.check), shown_on);
  if (status != kExitSuccess) return status;
  for (const auto& note : hosts_notes(*list, shown_on.terminal)) say(note);
  if (list->not_asked > 0) say(ops::left_out_note(list->not_asked));
  for (const auto& warning : list->warnings) say(warning);
  return kExitSuccess;
}

}  // namespace yonder::cli
