#include "ops/remember.h"

#include "base/clock.h"
#include "base/text.h"
#include "run/judge.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr std::size_t kRememberedCommand = 200;

}  // namespace

TaskInfo task_info(const std::string& sandbox, const wire::RunFacts& facts) {
  TaskInfo task{.sandbox = sandbox,
                .run_id = RunId(facts.run_id),
                .status = run::judge(facts),
                .kind = "exec",
                .log_bytes = facts.out_bytes};
  if (facts.alive) task.launcher = facts.alive->launcher;
  if (!facts.label) return task;
  const wire::RunLabel& label = *facts.label;
  task.kind = label.background ? "background" : "exec";
  task.command = label.command;
  task.description = label.description;
  task.cwd = label.cwd;
  task.key = label.key;
  task.session_name = label.session;
  task.tmux_session = label.tmux_session;
  task.log_file = label.log_file;
  task.created_ms = label.created_ms;
  task.log_bytes -= std::min(task.log_bytes, label.log_from);
  return task;
}

store::RunNote to_note(const TaskInfo& task) {
  const std::int64_t now = wall_clock_ms();
  return {.id = task.run_id,
          .sandbox = task.sandbox,
          .kind = task.kind,
          .key = task.key,
          .command = task.command.substr(0, kRememberedCommand),
          .description = task.description,
          .cwd = task.cwd,
          .session = task.session_name,
          .log_file = task.log_file,
          .launcher = task.launcher,
          .created_ms = task.created_ms > 0 ? task.created_ms : now,
          .state = std::string(name_of(task.status.state)),
          .exit_code = task.status.exit_code,
          .seen_ms = task.status.state == RunState::Unknown ? 0 : now};
}

Result<void> remember_task(Engine& engine, const TaskInfo& task) {
  return engine.store.remember(to_note(task));
}

// Only for lists that cannot reach the machine: the caller has the answer already.
std::string note_sighting(Engine& engine, const TaskInfo& task) {
  if (task.status.state == RunState::Unknown) return {};
  const auto noted =
      engine.store.saw(task.sandbox, task.run_id, std::string(name_of(task.status.state)),
                       task.status.exit_code, wall_clock_ms());
  return noted ? std::string() : not_written_down(noted.error());
}

void add_if_any(std::vector<std::string>& warnings, std::string warning) {
  if (!warning.empty()) warnings.push_back(std::move(warning));
}

// A run that is not remembered here, or one of another machine, has nothing to be written.
std::string not_written_down(const Error& error) {
  if (error.code == Errc::NotFound || error.code == Errc::Conflict) return {};
  return concat("what was seen could not be written down here: ", error.message);
}

void remember_where(Engine& engine, Session& session, const RunId& id, const std::string& sandbox) {
  // Runs of this session are known to it; of all others the store knows the sandbox first.
  if (session.sandbox_of(id) == sandbox) return;
  const auto note = engine.store.find(id);
  if (!note || !*note || (*note)->sandbox == sandbox) session.remember(id, sandbox);
}

void note_answer(Engine& engine, const std::string& sandbox) {
  [[maybe_unused]] const bool noted =
      engine.store.sandbox_answered(sandbox, wall_clock_ms()).has_value();
}

}  // namespace yonder::ops
