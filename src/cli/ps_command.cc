#include "base/clock.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/one_line.h"
#include "cli/people_progress.h"
#include "cli/ps_table.h"
#include "cli/render.h"
#include "ops/tasks.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kMostCompleted = 200;

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += concat(one_line(name), "\n");
  return text;
}

int fail(const PsOptions& options, const Error& error) {
  show_failure(error, format_of(options.json));
  return kExitFailure;
}

// An empty table is no answer on a machine that has just run something.
ops::TaskList with_commands_counted(ops::Engine& engine, ops::CallContext& context,
                                    const PsOptions& options, ops::TaskList list) {
  if (!list.tasks.empty() || options.exec) return list;
  ops::ListTasksRequest request{.sandbox = options.sandbox,
                                .all = options.all,
                                .foreground = true,
                                .scan = options.scan,
                                .wait = options.wait};
  // Those that did not answer a moment ago are not waited for again.
  for (const auto& place : list.sandboxes) {
    if (place.error) request.without.insert(place.sandbox);
  }
  const auto commands = ops::list_tasks(engine, context, request);
  if (commands) list.only_foreground = commands->tasks.size();
  return list;
}

int show_list(const ops::Engine& engine, const ops::TaskList& list) {
  const Screen shown_on = screen(engine.environment);
  const std::int64_t now = wall_clock_ms();
  if (shown_on.terminal) {
    const std::string text = ps_screen(list, shown_on.width, shown_on.styled, now);
    return print_then(text);
  }
  const int printed = print_then(tab_separated(ps_fields(list)));
  if (printed != kExitSuccess) return printed;
  for (const auto& note : ps_notes(list, now)) say(note);
  return kExitSuccess;
}

}  // namespace

int ps_command(const PsOptions& options, const Doors& doors) {
  // Without a name many are asked at once, of which each could have a question; and no machine is
  // asked that would be given up while typing.
  const bool silent = !options.sandbox || options.wait;
  const auto engine = silent ? doors.silent_engine() : doors.engine();
  if (!engine) return fail(options, engine.error());
  if (options.ids) {
    const auto names = ops::known_runs(**engine, kMostCompleted);
    return names ? print_then(names_text(*names)) : fail(options, names.error());
  }
  ops::Session session;
  ops::CallContext context{.session = session, .progress = people_progress()};
  const auto list = ops::list_tasks(**engine, context,
                                    {.sandbox = options.sandbox,
                                     .all = options.all,
                                     .foreground = options.exec,
                                     .scan = options.scan,
                                     .wait = options.wait});
  if (!list) return fail(options, list.error());
  if (options.json) return print_json_then(ops::to_json(*list));
  return show_list(**engine, with_commands_counted(**engine, context, options, *list));
}

}  // namespace yonder::cli
