#include "base/clock.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/gpus_table.h"
#include "cli/people_progress.h"
#include "cli/render.h"

namespace yonder::cli {
namespace {

int fail(const GpusOptions& options, const Error& error) {
  show_failure(error, format_of(options.json));
  return kExitFailure;
}

}  // namespace

int gpus_command(const GpusOptions& options, const Doors& doors) {
  // Nobody is asked who would be given up while typing.
  const bool silent = options.sandboxes.size() != 1 || options.wait;
  const auto engine = silent ? doors.silent_engine() : doors.engine();
  if (!engine) return fail(options, engine.error());
  ops::Session session;
  ops::CallContext context{.session = session, .progress = people_progress()};
  const auto seen = ops::look_at_machines(**engine, context, options.sandboxes, options.wait);
  if (!seen) return fail(options, seen.error());
  if (options.json) return print_json_then(ops::gpus_json(*seen));
  const std::int64_t now = wall_clock_ms();
  const Screen shown_on = screen((*engine)->environment);
  const auto rows = gpus_rows(seen->machines, now);
  auto notes = gpus_notes(seen->machines, now);
  if (seen->left_out > 0) notes.push_back(ops::left_out_note(seen->left_out));
  if (!shown_on.terminal) {
    if (const int failed = print_then(tab_separated(rows)); failed != kExitSuccess) return failed;
    for (const auto& note : notes) say(note);
    return kExitSuccess;
  }
  std::string text =
      rows.empty() ? "" : aligned_table(gpus_header(), rows, shown_on.width, shown_on.styled);
  if (!rows.empty() && !notes.empty()) text += "\n";
  for (const auto& note : notes) text += note + "\n";
  return print_then(text);
}

}  // namespace yonder::cli
