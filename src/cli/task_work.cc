#include "cli/task_work.h"

#include "cli/find_runs.h"
#include "cli/people_progress.h"
#include "cli/render.h"

namespace yonder::cli {

Result<std::unique_ptr<TaskWork>> TaskWork::begin(const Doors& doors, const RunWords& words,
                                                  std::string at_first_signal) {
  TRY_ASSIGN(ops::Engine * engine, doors.engine());
  auto work = std::unique_ptr<TaskWork>(new TaskWork(*engine));
  work->progress_ = people_progress();
  TRY_ASSIGN(work->runs_, find_runs(*engine, work->session_, words));
  TRY_ASSIGN(work->interrupts_,
             Interrupts::install([text = std::move(at_first_signal)](int) { say(text); }));
  return work;
}

ops::CallContext TaskWork::context() {
  return {.session = session_,
          .cancel = interrupts_->cancel(),
          .detach = interrupts_->detach(),
          .progress = progress_};
}

}  // namespace yonder::cli
