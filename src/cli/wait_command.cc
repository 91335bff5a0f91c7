#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/render.h"
#include "cli/task_reports.h"
#include "cli/task_work.h"
#include "cli/unreached.h"

namespace yonder::cli {

int wait_command(const WaitOptions& options, const Doors& doors) {
  const auto work = TaskWork::begin(doors, options.which, "leaving it alone; it goes on");
  if (!work) {
    show_failure(work.error(), format_of(options.which.json));
    return kExitFailure;
  }
  TaskWork& with = **work;
  const auto outcomes = ask_about<ops::TaskInfo>(with.runs(), [&](const ops::TaskRef& run) {
    auto context = with.context();
    auto seen = ops::wait_for_task(with.engine(), context, run);
    if (seen) return seen;
    return Result<ops::TaskInfo>(
        unreached(with.engine(), run, std::move(seen).error(), "yonder wait"));
  });
  const Report report = wait_report(outcomes, with.given_up());
  if (!options.which.json) return show(report);
  const Json json = runs_json<ops::TaskInfo>(
      outcomes, [](const ops::TaskInfo& task) { return ops::to_json(task); });
  return print_json_then(json, report.status);
}

}  // namespace yonder::cli
