#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/people_progress.h"
#include "cli/progress_bar.h"
#include "cli/render.h"
#include "cli/sync_report.h"
#include "cli/told_notes.h"
#include "ops/sync_json.h"
#include "ops/taken_for_a_path.h"

namespace yonder::cli {
namespace {

int fail(const SyncOptions& options, const Error& error, int status) {
  show_failure(options.json ? error : in_sync_options(error), format_of(options.json));
  return status;
}

// Which two places were synced, and which way.
std::string places_of(const ops::SyncResponse& response) {
  const sync::SyncRequest& asked = response.asked;
  return shown_name(join({response.sandbox, asked.local_path, asked.remote_path,
                          asked.direction == sync::Direction::Push ? "push" : "pull"},
                         "\n"));
}

// What people_progress() may print must not end up behind the bar.
ops::ProgressSink beside(ProgressBar& bar) {
  return [&bar, people = people_progress()](const std::string& text) {
    if (text.starts_with("connecting ") || text.starts_with("putting ")) bar.erase();
    people(text);
  };
}

}  // namespace

int sync_command(const SyncOptions& options, const Doors& doors) {
  const auto engine = doors.engine();
  if (!engine) return fail(options, engine.error(), kExitFailure);
  ProgressBar bar(!options.json && !options.quiet);
  const auto interrupts = Interrupts::install([&](int) {
    bar.erase();
    say("stopping; what is done stays done, and the same command goes on from there");
  });
  if (!interrupts) return fail(options, interrupts.error(), kExitFailure);
  const sync::SyncRequest& what = options.call.what;
  const bool push = what.direction == sync::Direction::Push;
  const std::string& first = push ? what.local_path : what.remote_path;
  const auto slip = ops::taken_for_a_path(**engine, options.call.sandbox, first);
  if (slip && !(push && path_exists(first))) return fail(options, *slip, kExitUsage);
  ops::Session session;
  ops::CallContext context{.session = session,
                           .cancel = (*interrupts)->cancel(),
                           .detach = (*interrupts)->detach(),
                           .progress = beside(bar)};
  const auto response =
      ops::sync_files(**engine, context, options.call,
                      [&](const ops::SyncProgress& progress) { bar.show(progress); });
  bar.erase();
  if (!response) {
    const GivenUp given_up{.signal = (*interrupts)->first_signal()};
    return fail(options, response.error(), status_of(response.error(), given_up));
  }
  if (options.json) {
    const int status = sync_report(*response, options.quiet).status;
    return print_json(ops::to_json(*response)) ? status : kExitReaderGone;
  }
  const std::string& state = (*engine)->state_directory;
  const std::string places = places_of(*response);
  const int status = show(sync_report(*response, options.quiet, told_notes(state, places)));
  const bool read = response->report && !response->report->dry_run && !options.quiet;
  if (read) remember_told(state, places, default_notes(*response));
  return status;
}

}  // namespace yonder::cli
