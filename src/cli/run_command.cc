#include "base/text.h"
#include "cli/commands.h"
#include "cli/engine_for.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/own_variables.h"
#include "cli/people_progress.h"
#include "cli/render.h"
#include "cli/run_report.h"
#include "cli/tilde_hint.h"
#include "ops/background.h"
#include "ops/tasks.h"

namespace yonder::cli {
namespace {

Result<ops::BackgroundRequest> to_request(const RunOptions& options, const ops::Engine& engine) {
  ops::BackgroundRequest request{.sandbox = options.sandbox,
                                 .run = options.run,
                                 .needs = options.needs,
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

// The start was faster than Ctrl-C. What was asked for is that it does not run.
int take_back(ops::Engine& engine, const ops::BackgroundResponse& response, int signal,
              Format format) {
  ops::Session session;
  ops::CallContext context{.session = session};
  const std::string& id = response.run_id.str();
  const auto stopped = ops::stop_task(
      engine, context,
      {.task = {.run_id = id, .sandbox = response.sandbox}, .grace = std::chrono::seconds(2)});
  const bool gone = stopped && stopped->gone;
  show_failure({Errc::Cancelled,
                gone ? concat("it had begun as ", id, ", and was stopped")
                     : concat("it has begun as ", id, " and could not be stopped"),
                gone ? "" : concat("try: yonder stop ", id)},
               format);
  return kExitSignalBase + signal;
}

}  // namespace

int run_command(const RunOptions& options, const Doors& doors) {
  const auto engine = engine_for(options.sandbox, doors);
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
    const Error error =
        with_tilde_hint(response.error(), options.run.cwd.value_or(""), **engine, options.sandbox);
    return fail(options, error, status_of(error, given_up));
  }
  if (const int signal = (*interrupts)->first_signal(); signal != 0) {
    return take_back(**engine, *response, signal, format_of(options.json));
  }
  const Report report = run_report(*response);
  if (!options.json) return show(report);
  return print_json_then(ops::to_json(*response), report.status, report.if_unwritten);
}

}  // namespace yonder::cli
