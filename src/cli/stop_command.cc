#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/render.h"
#include "cli/task_reports.h"
#include "cli/task_work.h"
#include "cli/unreached.h"
#include "ops/task_operations.h"

namespace yonder::cli {
namespace {

ops::StopTaskRequest to_request(const StopOptions& options, const ops::TaskRef& run) {
  ops::StopTaskRequest request{.task = run};
  if (options.signal) request.signal = *options.signal;
  if (options.grace) request.grace = *options.grace;
  return request;
}

}  // namespace

int stop_command(const StopOptions& options, const Doors& doors) {
  const auto work = TaskWork::begin(doors, options.which, "not waiting for its end any longer");
  if (!work) {
    show_failure(work.error(), format_of(options.which.json));
    return kExitFailure;
  }
  TaskWork& with = **work;
  const auto outcomes = ask_about<ops::StopTaskResponse>(with.runs(), [&](const ops::TaskRef& run) {
    auto context = with.context();
    auto stopped = ops::stop_task(with.engine(), context, to_request(options, run));
    if (stopped) return stopped;
    return Result<ops::StopTaskResponse>(
        unreached(with.engine(), run, std::move(stopped).error(), "yonder stop"));
  });
  const Report report = stop_report(outcomes, with.given_up());
  if (!options.which.json) return show(report);
  const Json json = runs_json<ops::StopTaskResponse>(
      outcomes, [](const ops::StopTaskResponse& response) { return ops::to_json(response); });
  return print_json_then(json, report.status);
}

}  // namespace yonder::cli
