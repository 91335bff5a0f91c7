#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/render.h"
#include "cli/task_reports.h"
#include "cli/task_work.h"
#include "cli/unreached.h"

namespace yonder::cli {
namespace {

Result<ops::TaskInfo> remove(TaskWork& work, ops::TaskRef run) {
  auto context = work.context();
  if (run.run_id.empty()) {
    // Records are removed by id, so that the name of a session never means another run than it did
    // when it was looked at.
    TRY_ASSIGN(const auto seen,
               ops::check_task(work.engine(), context, {.task = run, .last_n_lines = 0}));
    if (!seen.task) {
      if (seen.connection_error) {
        return Error{Errc::Unreachable,
                     seen.warnings.empty() ? "its machine does not answer" : seen.warnings.front(),
                     ""};
      }
      return Error{Errc::NotFound, "it is not a run of Yonder", "`yonder ps` shows all runs"};
    }
    run.run_id = seen.task->run_id.str();
  }
  return ops::remove_task(work.engine(), context, run);
}

}  // namespace

int rm_command(const RmOptions& options, const Doors& doors) {
  const auto work = TaskWork::begin(doors, options.which, "giving up");
  if (!work) {
    show_failure(work.error(), format_of(options.which.json));
    return kExitFailure;
  }
  TaskWork& with = **work;
  const auto outcomes =
      ask_about<ops::TaskInfo>(with.runs(), [&](const ops::TaskRef& run) -> Result<ops::TaskInfo> {
        auto removed = remove(with, run);
        if (removed) return removed;
        return unreached(with.engine(), run, std::move(removed).error(), "yonder rm");
      });
  const Report report = rm_report(outcomes);
  if (!options.which.json) return show(report);
  const Json json = runs_json<ops::TaskInfo>(
      outcomes, [](const ops::TaskInfo& task) { return ops::to_json(task); });
  return print_json_then(json, report.status);
}

}  // namespace yonder::cli
