#pragma once

#include <string>
#include <utility>

#include "cli/top_draw.h"
#include "cli/top_state.h"
#include "resources/facts_test.h"

namespace yonder::cli {

// What the tests of the screen look at: two machines with a run each.

constexpr std::int64_t kTopWall = 1700000000000;

inline TopTime top_time(Duration later = {}) {
  const auto begin = Instant(std::chrono::hours(1));
  return {
      .steady = begin + later,
      .wall_ms = kTopWall + std::chrono::duration_cast<std::chrono::milliseconds>(later).count()};
}

inline TopMachine top_machine(std::string name, std::uint64_t gpus) {
  TopMachine machine;
  machine.name = std::move(name);
  const Instant now = top_time().steady;
  top_asked(machine, now);
  top_answered(machine,
               {.facts = resources::machine_for_test(gpus), .error = {}, .age = Duration::zero()},
               now);
  return machine;
}

inline ops::TaskInfo top_task(const std::string& id, const std::string& machine, RunState state,
                              const std::string& command) {
  ops::TaskInfo task;
  task.sandbox = machine;
  task.run_id = RunId(id);
  task.status.state = state;
  task.kind = "background";
  task.command = command;
  task.created_ms = kTopWall - 60000;
  return task;
}

inline void top_add_task(TopMachine& machine, ops::TaskInfo task) {
  auto tasks = machine.tasks;
  tasks.push_back(std::move(task));
  top_asked_tasks(machine, top_time().steady);
  top_listed_tasks(machine, std::move(tasks), true, top_time().steady);
}

inline TopKnown top_two_machines() {
  TopKnown known;
  known.listed = true;
  known.machines = {top_machine("beta", 0), top_machine("alpha", 2)};
  top_add_task(known.machines[0],
               top_task("r-aaaaaaaaaaaaaaaa", "beta", RunState::Running, "./train.sh"));
  auto queued = top_task("r-bbbbbbbbbbbbbbbb", "alpha", RunState::Queued, "make test");
  queued.status.queue = QueuePlace{.ahead = 2, .since_ms = kTopWall, .holders = {}};
  queued.created_ms -= 1000;
  top_add_task(known.machines[1], queued);
  return known;
}

inline std::string top_text(const std::vector<TopLine>& lines) {
  std::string text;
  for (const auto& line : lines) {
    for (const auto& span : line.spans) text += span.text;
    text += "\n";
  }
  return text;
}

}  // namespace yonder::cli
