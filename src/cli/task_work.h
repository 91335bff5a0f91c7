#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/exec_ending.h"
#include "cli/interrupts.h"
#include "cli/options.h"
#include "cli/outcome.h"
#include "ops/operation.h"
#include "ops/tasks.h"

namespace yonder::cli {

// What the commands about existing runs begin with: the engine, the runs, and an ear for Ctrl-C.
class TaskWork {
 public:
  // `at_first_signal` is said then; the calls get cancelled and detached.
  static Result<std::unique_ptr<TaskWork>> begin(const Doors& doors, const RunWords& words,
                                                 std::string at_first_signal);

  ops::Engine& engine() const { return engine_; }
  Interrupts& interrupts() const { return *interrupts_; }
  const std::vector<ops::TaskRef>& runs() const { return runs_; }
  // One for each call. Thread: any.
  ops::CallContext context();
  GivenUp given_up() const { return {.signal = interrupts_->first_signal()}; }

 private:
  explicit TaskWork(ops::Engine& engine) : engine_(engine) {}

  ops::Engine& engine_;
  ops::Session session_;
  ops::ProgressSink progress_;
  std::vector<ops::TaskRef> runs_;
  std::unique_ptr<Interrupts> interrupts_;
};

// {"runs": [...]}: what `shown` makes of each, or {"run_id": ..., "error": {...}}.
template <class T>
Json runs_json(const std::vector<Outcome<T>>& outcomes,
               const std::function<Json(const T&)>& shown) {
  Json runs = Json::array();
  for (const auto& [run, result] : outcomes) {
    if (result) {
      runs.push_back(shown(*result));
      continue;
    }
    Json failed{{"run_id", run}};
    failed.update(ops::error_json(result.error()));
    runs.push_back(std::move(failed));
  }
  return Json{{"runs", std::move(runs)}};
}

}  // namespace yonder::cli
