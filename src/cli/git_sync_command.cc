#include "cli/commands.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/git_sync_report.h"
#include "cli/interrupts.h"
#include "cli/people_progress.h"
#include "cli/render.h"
#include "cli/tilde_hint.h"
#include "ops/taken_for_a_path.h"

namespace yonder::cli {
namespace {

int fail(const GitSyncOptions& options, const Error& error, int status) {
  show_failure(options.json ? error : in_options(error), format_of(options.json));
  return status;
}

}  // namespace

int git_sync_command(const GitSyncOptions& options, const Doors& doors) {
  const auto engine = doors.engine();
  if (!engine) return fail(options, engine.error(), kExitFailure);
  const auto interrupts = Interrupts::install([](int) { say("giving up; looking what is there"); });
  if (!interrupts) return fail(options, interrupts.error(), kExitFailure);
  ops::Session session;
  ops::CallContext context{.session = session,
                           .cancel = (*interrupts)->cancel(),
                           .detach = (*interrupts)->detach(),
                           .progress = people_progress()};
  if (const auto slip =
          ops::taken_for_a_path(**engine, options.request.sandbox, options.request.remote_path)) {
    return fail(options, *slip, kExitUsage);
  }
  const auto response = ops::git_sync(**engine, context, options.request);
  if (!response) {
    const Error error = with_tilde_hint(response.error(), options.request.remote_path, **engine,
                                        options.request.sandbox);
    const GivenUp given_up{.signal = (*interrupts)->first_signal()};
    return fail(options, error,
                error.code == Errc::Conflict ? kExitProblems : status_of(error, given_up));
  }
  const Report report = git_sync_report(*response);
  if (!options.json) return show(report);
  return print_json_then(ops::to_json(*response), report.status);
}

}  // namespace yonder::cli
