#include "cli/commands.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/own_variables.h"
#include "cli/people_progress.h"
#include "cli/render.h"
#include "cli/run_report.h"
#include "ops/background.h"

namespace yonder::cli {
namespace {

Result<ops::BackgroundRequest> to_request(const RunOptions& options, const ops::Engine& engine) {
  ops::BackgroundRequest request{.sandbox = options.sandbox,
                                 .run = options.run,
                                 .session_name = options.session_name,
                                 .log_file = options.log_file,
                                 .description = options.description,
                                 .launcher = options.launcher,
                                 .tmux = options.tmux};
  TRY(add_own_variables(options.own_variables, engine.environment, request.run));
  return request;
}

int fail(const RunOptions& options, const Error& error, int status) {
  show_failure(error, format_of(options.json));
  return status;
}

}  // namespace

int run_command(const RunOptions& options, const Doors& doors) {
  const auto engine = doors.engine();
  if (!engine) return fail(options, engine.error(), kExitFailure);
  const auto request = to_request(options, **engine);
  if (!request) return fail(options, request.error(), kExitUsage);
  // Until it has begun, Ctrl-C means that it shall not.
  const auto interrupts = Interrupts::install([](int) { say("giving up the start"); });
  if (!interrupts) return fail(options, interrupts.error(), kExitFailure);
  ops::Session session;
  ops::CallContext context{.session = session,
                           .cancel = (*interrupts)->cancel(),
                           .detach = (*interrupts)->detach(),
                           .progress = people_progress()};
  const auto response = ops::start_background(**engine, context, *request);
  if (!response) {
    const GivenUp given_up{.signal = (*interrupts)->first_signal()};
    return fail(options, response.error(), status_of(response.error(), given_up));
  }
  const Report report = run_report(*response);
  if (!options.json) return show(report);
  return print_json(ops::to_json(*response)) ? report.status : kExitReaderGone;
}

}  // namespace yonder::cli
