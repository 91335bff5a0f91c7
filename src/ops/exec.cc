#include "ops/exec.h"

#include "base/clean_text.h"
#include "base/head_tail.h"
#include "base/text.h"
#include "ops/remember.h"
#include "ops/resolve.h"
#include "ops/tasks.h"
#include "run/runs.h"

namespace yonder::ops {
namespace {

ExecResponse to_response(const SandboxSpec& sandbox, const run::Outcome& outcome) {
  ExecResponse response{.sandbox = sandbox.name,
                        .run_id = outcome.id,
                        .status = outcome.status,
                        .connection_error = outcome.connection_error,
                        .attached = outcome.attached,
                        .detached = outcome.detached,
                        .stdout_bytes = outcome.out_bytes,
                        .stderr_bytes = outcome.err_bytes,
                        .truncated = outcome.status.disk_full,
                        .warnings = outcome.warnings};
  for (auto& warning : warnings_of(outcome.status)) response.warnings.push_back(std::move(warning));
  if (outcome.status.state == RunState::Unknown && !outcome.detached) {
    response.warnings.push_back(
        concat("what became of the command is not known now; ask again with "
               "run_id ",
               outcome.id.str()));
  }
  return response;
}

void note_gap(ExecResponse& response, std::string_view output, const wire::Gap& gone) {
  if (gone.empty()) return;
  const std::string note =
      gone.from == 0 ? concat(output, " is kept there from byte ", gone.to,
                              " on: what came before ", "was delivered, and then removed")
                     : concat(output, " is not kept there between byte ", gone.from, " and byte ",
                              gone.to, "; a background run keeps its whole log");
  response.warnings.push_back(note);
}

// Of what the caller has not been given.
void note_gaps(ExecResponse& response, const run::Outcome& outcome) {
  note_gap(response, "stdout", outcome.out_gone);
  note_gap(response, "stderr", outcome.err_gone);
}

Result<run::Outcome> wait_for_run(Engine& engine, const SandboxSpec& sandbox,
                                  const ExecRequest& request, const run::WaitOptions& options,
                                  const run::Listener& listener) {
  if (request.run_id) return engine.runs.attach(sandbox, *request.run_id, options, listener);
  RunRequest run = request.run;
  run.gpus = request.needs.gpus;
  run.gpu_memory_mb = request.needs.gpu_memory_mb;
  run.cwd = effective_cwd(request.run.cwd.value_or(""), sandbox.cwd);
  return engine.runs.start(sandbox, run, options, listener);
}

using Taken = std::function<void()>;
using ExecOn = std::function<Result<ExecResponse>(const SandboxSpec&, const Taken&)>;

// A run that exists is looked for where it was started, as far as that is known; a new one begins
// where it was asked for, or on the best machine.
Result<ExecResponse> exec_somewhere(Engine& engine, CallContext& context,
                                    const ExecRequest& request, bool streams_input,
                                    const ExecOn& on) {
  if (request.run_id) {
    TRY_ASSIGN(const FoundTask found,
               find_task(engine, context.session,
                         {.run_id = request.run_id->str(), .sandbox = request.sandbox}));
    return on(found.sandbox, [] {});
  }
  ExecResponse response;
  const auto start = [&](const SandboxSpec& sandbox, const Taken& taken) -> Result<Attempt> {
    // GPUs may be refused to a run that exists.
    const Taken not_yet = [] {};
    TRY_ASSIGN(response, on(sandbox, request.needs.gpus == 0 ? taken : not_yet));
    return Attempt{.id = response.run_id, .status = response.status, .found = response.attached};
  };
  TRY_ASSIGN(response.chosen, place(engine, context,
                                    {.sandbox = request.sandbox,
                                     .key = request.run.key,
                                     .needs = request.needs,
                                     .cwd = request.run.cwd.value_or(""),
                                     .only_once = streams_input},
                                    start));
  if (response.chosen) {
    const auto& more = response.chosen->warnings;
    response.warnings.insert(response.warnings.end(), more.begin(), more.end());
  }
  warn_of_broken_settings(engine, response.warnings);
  return response;
}

// Whoever gets an id instead of a result may ask for it from another process. A run that has ended
// at once costs nothing here: most do.
void note_state(Engine& engine, const ExecRequest& request, ExecResponse& response) {
  const bool ended = has_ended(response.status.state);
  if (ended && !request.run_id) return;
  TaskInfo task{.sandbox = response.sandbox,
                .run_id = response.run_id,
                .status = response.status,
                .kind = "exec",
                .command = request.run.command,
                .cwd = request.run.cwd.value_or(""),
                .key = request.run.key};
  // One that was asked for again may be remembered as it was then.
  if (request.run_id) return add_if_any(response.warnings, note_sighting(engine, task));
  if (const auto noted = remember_task(engine, task); !noted) {
    response.warnings.push_back(concat("this machine could not write the run down (",
                                       noted.error().message, "): keep run_id and sandbox_name"));
  }
}

run::Listener make_listener(CallContext& context, const SandboxSpec& sandbox, const Taken& taken) {
  run::Listener listener;
  listener.on_seen = taken;
  listener.progress = context.progress;
  listener.cancel = context.cancel;
  listener.detach = context.detach;
  listener.abandon = context.abandon;
  listener.on_started = [&context, name = sandbox.name](const RunId& id) {
    context.session.remember(id, name);
  };
  return listener;
}

Result<ExecResponse> exec_on(Engine& engine, CallContext& context, const ExecRequest& request,
                             const SandboxSpec& sandbox, const Taken& taken) {
  const std::size_t half = request.max_output_chars / 2;
  HeadTail out(half, request.max_output_chars - half);
  HeadTail err(half, request.max_output_chars - half);
  run::Listener listener = make_listener(context, sandbox, taken);
  listener.on_output = [&](wire::Channel channel, std::uint64_t skipped, std::string_view bytes) {
    HeadTail& stream = channel == wire::Channel::Out ? out : err;
    stream.skip(skipped);
    stream.append(bytes);
  };
  TRY_ASSIGN(const run::Outcome outcome,
             wait_for_run(engine, sandbox, request,
                          {.wait = request.wait,
                           .bounds = run::Bounds{half, request.max_output_chars - half},
                           .input = request.stdin_text,
                           .input_fd = request.stdin_fd},
                          listener));
  remember_where(engine, context.session, outcome.id, sandbox.name);
  // Printed but not seen by us: the link was lost, or the run goes on.
  if (outcome.out_bytes > out.total()) out.skip(outcome.out_bytes - out.total());
  if (outcome.err_bytes > err.total()) err.skip(outcome.err_bytes - err.total());
  ExecResponse response = to_response(sandbox, outcome);
  CleanText clean_out = clean_text(out);
  CleanText clean_err = clean_text(err);
  response.stdout_text = std::move(clean_out.text);
  response.stderr_text = std::move(clean_err.text);
  response.binary = clean_out.binary || clean_err.binary;
  response.truncated = response.truncated || out.truncated() || err.truncated();
  const auto hint = not_found_hint(response.status, request.run.login || request.run_id);
  if (!hint.empty()) response.warnings.push_back(hint);
  note_gaps(response, outcome);
  note_state(engine, request, response);
  return response;
}

// Passes on what comes, and says what is missing before it: two pieces must not look like one.
class Passing {
 public:
  explicit Passing(const ExecStreams& streams) : streams_(streams) {}

  void pass_on(wire::Channel channel, std::uint64_t skipped, std::string_view bytes) {
    const bool out = channel == wire::Channel::Out;
    std::uint64_t& have = out ? out_have_ : err_have_;
    go_to(channel, have + skipped);
    have += bytes.size();
    (out ? streams_.on_stdout : streams_.on_stderr)(bytes);
  }
  // All that is kept has come.
  void finish(const run::Outcome& outcome) {
    go_to(wire::Channel::Out, outcome.out_bytes);
    go_to(wire::Channel::Err, outcome.err_bytes);
  }

 private:
  void go_to(wire::Channel channel, std::uint64_t end) {
    std::uint64_t& have = channel == wire::Channel::Out ? out_have_ : err_have_;
    if (end <= have) return;
    if (streams_.on_missing) {
      streams_.on_missing(channel == wire::Channel::Out ? "stdout" : "stderr", have, end);
    }
    have = end;
  }

  const ExecStreams& streams_;
  std::uint64_t out_have_ = 0;
  std::uint64_t err_have_ = 0;
};

Result<ExecResponse> stream_on(Engine& engine, CallContext& context, const ExecRequest& request,
                               const ExecStreams& streams, const SandboxSpec& sandbox,
                               const Taken& taken) {
  run::Listener listener = make_listener(context, sandbox, taken);
  Passing passing(streams);
  listener.on_output = [&](wire::Channel channel, std::uint64_t skipped, std::string_view bytes) {
    passing.pass_on(channel, skipped, bytes);
  };
  listener.on_started = [&](const RunId& id) {
    if (streams.on_started) streams.on_started(id);
  };
  TRY_ASSIGN(const run::Outcome outcome,
             wait_for_run(
                 engine, sandbox, request,
                 {.wait = request.wait, .input = request.stdin_text, .input_fd = streams.stdin_fd},
                 listener));
  ExecResponse response = to_response(sandbox, outcome);
  if (outcome.attached && !outcome.detached && !outcome.connection_error) passing.finish(outcome);
  note_state(engine, request, response);
  return response;
}

// The run that its id, or a beginning of it, names.
Result<ExecRequest> with_whole_id(Engine& engine, CallContext& context,
                                  const ExecRequest& request) {
  ExecRequest whole = request;
  whole.run_named.clear();
  TRY_ASSIGN(const FoundTask found,
             find_task(engine, context.session,
                       {.run_id = request.run_named, .sandbox = request.sandbox}));
  whole.run_id = found.id;
  whole.sandbox = found.sandbox.name;
  return whole;
}

}  // namespace

std::string not_found_hint(const RunStatus& status, bool login) {
  constexpr int kNotFound = 127;
  if (login || status.state != RunState::Exited || status.exit_code != kNotFound) return "";
  return "exit code 127: a program was not found; one that only the login shell sets up (conda, "
         "nvm, ...) is found with `login: true` (--login)";
}

Result<ExecResponse> exec(Engine& engine, CallContext& context, const ExecRequest& request) {
  if (!request.run_named.empty()) {
    TRY_ASSIGN(const ExecRequest whole, with_whole_id(engine, context, request));
    return exec(engine, context, whole);
  }
  return exec_somewhere(engine, context, request, request.stdin_fd >= 0,
                        [&](const SandboxSpec& sandbox, const Taken& taken) {
                          return exec_on(engine, context, request, sandbox, taken);
                        });
}

Result<ExecResponse> exec_streaming(Engine& engine, CallContext& context,
                                    const ExecRequest& request, const ExecStreams& streams) {
  return exec_somewhere(engine, context, request, streams.stdin_fd >= 0,
                        [&](const SandboxSpec& sandbox, const Taken& taken) {
                          return stream_on(engine, context, request, streams, sandbox, taken);
                        });
}

}  // namespace yonder::ops
