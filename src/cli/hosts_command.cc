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

}  // namespace

int hosts_command(const HostsOptions& options, const Doors& doors) {
  auto engine = doors.engine();
  if (!engine) return fail(options, engine.error());
  ops::Session session;
  ops::CallContext context{.session = session};
  const auto list = ops::list_sandboxes(**engine, context, options.check && !options.names);
  if (!list) return fail(options, list.error());
  if (options.names) return print(names(*list)) ? kExitSuccess : kExitReaderGone;
  if (options.json) return print_json(ops::to_json(*list)) ? kExitSuccess : kExitReaderGone;
  const Screen shown_on = screen((*engine)->environment);
  const HostsTable table = hosts_table(*list, options.check);
  const std::string text =
      shown_on.terminal ? aligned_table(table.header, table.rows, shown_on.width, shown_on.styled)
                        : tab_separated(hosts_fields(*list, options.check));
  if (!print(text)) return kExitReaderGone;
  for (const auto& warning : list->warnings) say(warning);
  return kExitSuccess;
}

}  // namespace yonder::cli
