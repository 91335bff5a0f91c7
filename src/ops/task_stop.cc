#include "base/quote.h"
#include "base/text.h"
#include "link/link_pool.h"
#include "ops/give_up.h"
#include "ops/last_seen.h"
#include "ops/remember.h"
#include "ops/resolve.h"
#include "ops/standing.h"
#include "ops/tasks.h"
#include "resources/board.h"
#include "run/judge.h"
#include "run/runs.h"
#include "sandbox/kept_login.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

Result<FoundTask> find_run(Engine& engine, Session& session, const TaskRef& ref) {
  if (ref.run_id.empty() && ref.session.empty()) {
    return Error{Errc::InvalidArgument, "give run_id or tmux_session",
                 "list_background_tasks shows what there is"};
  }
  return find_task(engine, session, ref);
}

StopTaskResponse not_confirmed(const FoundTask& found, const Error& error) {
  StopTaskResponse response{.connection_error = true};
  response.task.sandbox = found.sandbox.name;
  response.task.run_id = found.id.value_or(RunId());
  response.task.session_name = found.session;
  response.task.status = run::unseen();
  response.warnings = {error.message,
                       "it could not be confirmed that the run has stopped; ask again"};
  return response;
}

}  // namespace

Result<StopTaskResponse> stop_task(Engine& engine, CallContext& context,
                                   const StopTaskRequest& request) {
  TRY_ASSIGN(const FoundTask found, find_run(engine, context.session, request.task));
  const wire::StopRequest stop{
      .run_id = found.id ? found.id->str() : "",
      .session = found.id ? "" : found.session,
      .signal = request.signal,
      .grace_ms = std::chrono::duration_cast<std::chrono::milliseconds>(request.grace).count()};
  const SeeThrough give_up(context);
  bool heard = false;
  const auto facts = engine.runs.stop(found.sandbox, stop, heard, give_up.token());
  engine.board.forget(found.sandbox);
  // From the first word on it may have been heard, whatever was said to a second one.
  if (!facts && heard) return not_confirmed(found, facts.error());
  if (!facts) return facts.error();
  StopTaskResponse response{.task = task_info(found.sandbox.name, *facts),
                            .gone = run::is_gone(*facts)};
  response.warnings = warnings_of(response.task.status);
  const RunState state = response.task.status.state;
  response.had_ended = has_ended(state) && (state != RunState::Stopped || facts->existed);
  add_if_any(response.warnings, note_sighting(engine, response.task));
  note_answer(engine, found.sandbox.name);
  return response;
}

Result<TaskInfo> remove_task(Engine& engine, CallContext& context, const TaskRef& ref) {
  if (ref.run_id.empty()) return Error{Errc::InvalidArgument, "give run_id", ""};
  TRY_ASSIGN(const FoundTask found, find_task(engine, context.session, ref));
  const SeeThrough give_up(context);
  const auto facts = engine.runs.remove(found.sandbox, *found.id, give_up.token());
  if (!facts) {
    if (facts.error().code != Errc::NotFound) return facts.error();
    // Gone over there already: then it need not be remembered here either. But only where it was
    // started, and once its end was seen: "not found" alone proves nothing.
    const auto note = engine.store.find(*found.id);
    if (!note || !*note) return facts.error();
    if ((*note)->sandbox != found.sandbox.name || !is_final((*note)->state)) {
      return Error{Errc::Conflict,
                   concat("there is no record of run ", found.id->str(), " on ", found.sandbox.name,
                          ", and its end was never seen"),
                   "it was not forgotten; look on its machine first"};
    }
    TRY(engine.store.forget(*found.id));
    return TaskInfo{.sandbox = found.sandbox.name,
                    .run_id = *found.id,
                    .status = {.proof = "there was no record of it any more"}};
  }
  const auto note = engine.store.find(*found.id);
  const bool of_another = note && *note && (*note)->sandbox != found.sandbox.name;
  if (!of_another) TRY(engine.store.forget(*found.id));
  return task_info(found.sandbox.name, *facts);
}

Result<TaskInfo> wait_for_task(Engine& engine, CallContext& context, const TaskRef& ref) {
  TRY_ASSIGN(FoundTask found, find_run(engine, context.session, ref));
  if (!found.id) {
    CheckRequest request{.task = ref, .last_n_lines = 0};
    TRY_ASSIGN(const CheckResponse seen, check_task(engine, context, request));
    if (!seen.task) {
      return Error{Errc::NotFound, concat("session '", ref.session, "' is not a run of Yonder"),
                   ""};
    }
    found.id = seen.task->run_id;
  }
  run::Listener listener;
  listener.cancel = context.cancel;
  listener.detach = context.detach;
  listener.progress = context.progress;
  // Nothing of the output is wanted, only the end.
  TRY_ASSIGN(const run::Outcome outcome,
             engine.runs.attach(found.sandbox, *found.id, {.bounds = run::Bounds{}}, listener));
  if (outcome.detached) return Error{Errc::Cancelled, "stopped waiting; the run goes on", ""};
  TaskInfo task{.sandbox = found.sandbox.name,
                .run_id = *found.id,
                .status = outcome.status,
                .log_bytes = outcome.out_bytes};
  if (outcome.connection_error && !outcome.warnings.empty()) {
    task.status.proof = outcome.warnings.back();
  }
  if (task.status.state == RunState::Unknown) {
    if (const auto last = last_seen(engine, *found.id)) {
      task.last_state = last->state;
      task.seen_ms = last->at_ms;
    }
  }
  note_sighting(engine, task);
  return task;
}

// The words that show a run in tmux: in the session that does so already, or in a new one when it
// was closed. Without tmux the view is the terminal itself.
std::string view_line(const TaskInfo& task, const Machine& machine) {
  const std::string& name = task.tmux_session.empty() ? task.run_id.str() : task.tmux_session;
  const std::string record = concat(machine.state_dir, "/runs/", task.run_id.str());
  const std::string line =
      concat(ShellText("if command -v tmux >/dev/null; then exec tmux new-session -A -s")
                 .arg(name)
                 .args({"-n", name, "--", machine.outpost_path, "show", record, name})
                 .str(),
             "; else exec ", shell_line({machine.outpost_path, "show", record}), "; fi");
  return ShellText("exec sh -c").arg(line).str();  // the user's shell may be no POSIX one
}

Result<SpawnOptions> attach_words(Engine& engine, CallContext& context, const TaskRef& ref) {
  CheckRequest request{.task = ref, .last_n_lines = 0};
  TRY_ASSIGN(const CheckResponse seen, check_task(engine, context, request));
  if (seen.connection_error) {
    return Error{Errc::Unreachable,
                 seen.warnings.empty() ? concat("'", seen.sandbox, "' does not answer")
                                       : seen.warnings.front(),
                 ""};
  }
  if (seen.task && has_ended(seen.task->status.state)) {
    return Error{Errc::NotFound, concat("run ", seen.task->run_id.str(), " has ended"),
                 concat("read its log: yonder logs ", seen.task->run_id.str())};
  }
  TRY_ASSIGN(const SandboxSpec sandbox, resolve_sandbox(engine, context.session, seen.sandbox));
  // Of a session that Yonder did not start. "=": this very name, not one that begins like it.
  std::string line = ShellText("tmux attach-session -t").arg("=" + seen.tmux_session).str();
  if (seen.task) {
    const GiveUp give_up(context);
    TRY_ASSIGN(const auto link, engine.links.acquire(sandbox, {.cancel = give_up.token()}));
    line = view_line(*seen.task, link->machine());
  }
  TRY_ASSIGN(const link::CommandPrefix words, engine.logins.terminal(sandbox, line));
  return SpawnOptions{.argv = words.argv, .environment = words.environment, .new_session = false};
}

}  // namespace yonder::ops
