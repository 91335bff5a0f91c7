#include "ops/background.h"

#include "base/text.h"
#include "ops/exec.h"
#include "ops/remember.h"
#include "ops/resolve.h"
#include "run/runs.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

// A name that nobody has used, short enough for a status bar.
std::string session_for(const RunId& id) {
  constexpr std::size_t kLetters = 10;
  return "bg-" + id.str().substr(2, kLetters);
}

TaskInfo planned(const SandboxSpec& sandbox, const RunId& id, const BackgroundRequest& request) {
  return {.sandbox = sandbox.name,
          .run_id = id,
          .kind = "background",
          .command = request.run.command,
          .description = request.description,
          .cwd = request.run.cwd.value_or(""),
          .key = request.run.key,
          .session_name = request.session_name,
          .log_file = request.log_file.starts_with('/') ? request.log_file : ""};
}

void add_label(BackgroundResponse& response, const run::Outcome& outcome) {
  response.launcher = outcome.launcher;
  if (!outcome.label) return;
  response.session_name = outcome.label->session;
  response.tmux_session = outcome.label->tmux_session;
  response.log_file = outcome.label->log_file;
}

// The run exists, whatever goes wrong from here on: that becomes a warning.
void note_down(Engine& engine, const BackgroundRequest& request, const SandboxSpec& sandbox,
               const run::Outcome& outcome, BackgroundResponse& response) {
  TaskInfo task = planned(sandbox, response.run_id, request);
  if (outcome.label) {  // what a key has found was begun with other words, perhaps
    task.command = outcome.label->command;
    task.description = outcome.label->description;
    task.cwd = outcome.label->cwd;
    task.created_ms = outcome.label->created_ms;
  }
  task.status = response.status;
  task.session_name = response.session_name;
  task.log_file = response.log_file;
  task.launcher = response.launcher;
  if (const auto noted = remember_task(engine, task); !noted) {
    response.warnings.push_back(concat("this machine could not write the run down (",
                                       noted.error().message, "): keep run_id and sandbox_name"));
  }
  if (!response.connection_error) note_answer(engine, sandbox.name);
}

void forget_plan(Engine& engine, const RunId& id) {
  [[maybe_unused]] const bool forgotten = engine.store.forget(id).has_value();
}

BackgroundResponse to_response(const SandboxSpec& sandbox, const BackgroundRequest& wanted,
                               const run::Outcome& outcome) {
  BackgroundResponse response{.sandbox = sandbox.name,
                              .run_id = outcome.id,
                              .status = outcome.status,
                              .connection_error = outcome.connection_error,
                              .launch_recovered = outcome.attached || outcome.asked_again,
                              .session_name = wanted.session_name,
                              .warnings = wanted.warnings};
  response.warnings.insert(response.warnings.end(), outcome.warnings.begin(),
                           outcome.warnings.end());
  for (auto& warning : warnings_of(outcome.status)) response.warnings.push_back(std::move(warning));
  add_label(response, outcome);
  if (outcome.status.state == RunState::Unknown) {
    response.warnings.push_back(
        concat("it may have started; ask with run_id ", outcome.id.str(), ", do not start again"));
  }
  return response;
}

Result<BackgroundResponse> start_on(Engine& engine, CallContext& context,
                                    const BackgroundRequest& request, const SandboxSpec& sandbox) {
  const RunId id = new_run_id();
  BackgroundRequest wanted = request;
  wanted.run.gpus = request.needs.gpus;
  wanted.run.gpu_memory_mb = request.needs.gpu_memory_mb;
  wanted.run.cwd = effective_cwd(request.run.cwd.value_or(""), sandbox.cwd);
  if (wanted.session_name.empty()) wanted.session_name = session_for(id);
  run::Listener listener;
  listener.progress = context.progress;
  listener.cancel = context.cancel;
  listener.detach = context.detach;
  listener.abandon = context.abandon;
  // Before the request leaves: should this process die now, the next one knows where to look.
  listener.on_started = [&](const RunId& started) {
    context.session.remember(started, sandbox.name);
    [[maybe_unused]] const bool noted =
        remember_task(engine, planned(sandbox, started, wanted)).has_value();
  };
  const auto started = engine.runs.start_background(sandbox, id, wanted.run,
                                                    {.session = wanted.session_name,
                                                     .log_file = wanted.log_file,
                                                     .description = wanted.description,
                                                     .launcher = wanted.launcher,
                                                     .tmux = wanted.tmux},
                                                    listener);
  // Nothing was started under this id: it must not haunt the lists.
  if (!started || started->id != id) forget_plan(engine, id);
  if (!started) return started.error();
  const run::Outcome& outcome = *started;
  remember_where(engine, context.session, outcome.id, sandbox.name);
  BackgroundResponse response = to_response(sandbox, wanted, outcome);
  if (outcome.status.state == RunState::Refused) return response;  // it leaves nothing behind
  if (outcome.id != id) {
    response.warnings.push_back(concat("this key found run ", outcome.id.str(),
                                       ", which was started before; nothing new was started"));
  }
  const auto hint = not_found_hint(response.status, wanted.run.login);
  if (!hint.empty()) response.warnings.push_back(hint);
  note_down(engine, wanted, sandbox, outcome, response);
  return response;
}

}  // namespace

Result<BackgroundResponse> start_background(Engine& engine, CallContext& context,
                                            const BackgroundRequest& request) {
  BackgroundResponse response;
  const auto start = [&](const SandboxSpec& sandbox,
                         const std::function<void()>&) -> Result<Attempt> {
    TRY_ASSIGN(response, start_on(engine, context, request, sandbox));
    return Attempt{
        .id = response.run_id, .status = response.status, .found = response.launch_recovered};
  };
  TRY_ASSIGN(response.chosen, place(engine, context,
                                    {.sandbox = request.sandbox,
                                     .key = request.run.key,
                                     .needs = request.needs,
                                     .cwd = request.run.cwd.value_or(""),
                                     .may_wait = request.run.gpu_queue},
                                    start));
  if (response.chosen) {
    const auto& more = response.chosen->warnings;
    response.warnings.insert(response.warnings.end(), more.begin(), more.end());
  }
  warn_of_broken_settings(engine, response.warnings);
  return response;
}

}  // namespace yonder::ops
