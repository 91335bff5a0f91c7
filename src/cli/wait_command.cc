#include <optional>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/link_notice.h"
#include "cli/render.h"
#include "cli/task_reports.h"
#include "cli/task_work.h"

namespace yonder::cli {

int wait_command(const WaitOptions& options, const Doors& doors) {
  const auto work = TaskWork::begin(doors, options.which, "leaving it alone; it goes on");
  if (!work) {
    show_failure(work.error(), format_of(options.which.json));
    return kExitFailure;
  }
  TaskWork& with = **work;
  std::optional<LinkWatch> watch;
  if (!options.which.json) watch.emplace(with.engine());
  const auto outcomes = ask_about<ops::TaskInfo>(with.runs(), [&](const ops::TaskRef& run) {
    auto context = with.context();
    return ops::wait_for_task(with.engine(), context, run);
  });
  watch.reset();
  const Report report = wait_report(outcomes, with.given_up());
  if (!options.which.json) return show(report);
  const Json json = runs_json<ops::TaskInfo>(
      outcomes, [](const ops::TaskInfo& task) { return ops::to_json(task); });
  return print_json_then(json, report.status);
}

}  // namespace yonder::cli
