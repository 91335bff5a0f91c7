#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/engine_for.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/own_variables.h"
#include "cli/render.h"
#include "cli/tilde_hint.h"
#include "ops/exec.h"
#include "ops/operation.h"
#include "ops/tasks.h"

namespace yonder::cli {
namespace {

int usable_stdin(const ExecOptions& options) {
  // The first one who started a run feeds it; whoever attaches later only listens.
  return options.no_stdin || options.attach ? -1 : STDIN_FILENO;
}

Result<ops::ExecRequest> to_request(const ExecOptions& options, const ops::Engine& engine) {
  ops::ExecRequest request{.sandbox = options.sandbox,
                           .run = options.run,
                           .needs = options.needs,
                           .wait = options.wait,
                           .max_output_chars = options.max_output};
  TRY(add_own_variables(options.own_variables, engine.environment, request.run));
  return request;
}

// A beginning of an id is made whole.
Result<void> find_attached(const ExecOptions& options, ops::Engine& engine,
                           ops::ExecRequest& request) {
  if (!options.attach) return {};
  ops::Session session;
  TRY_ASSIGN(
      const auto found,
      ops::find_task(engine, session, {.run_id = *options.attach, .sandbox = options.sandbox}));
  request.run_id = found.id;
  return {};
}

// Where it is missing, and --quiet or not: who reads on must not take two pieces for one.
void say_missing(std::string_view output, std::uint64_t from, std::uint64_t to) {
  say(concat("bytes ", from, " to ", to - 1, " of ", output,
             " are missing here: they are not kept there any more"));
}

// One `exec`, from the request to what is said about its end.
class Exec {
 public:
  Exec(const ExecOptions& options, ops::Engine& engine, Interrupts& interrupts)
      : options_(options),
        engine_(engine),
        interrupts_(interrupts),
        out_(Output::to_stdout(interrupts.wake_fd())),
        err_(Output::to_stderr(interrupts.wake_fd())) {}

  int run(ops::ExecRequest request) {
    ops::CallContext context{.session = session_,
                             .cancel = interrupts_.cancel(),
                             .detach = interrupts_.detach(),
                             .progress = [this](const std::string& text) { on_progress(text); }};
    if (options_.json) {
      request.stdin_fd = usable_stdin(options_);
      return finish_json(ops::exec(engine_, context, request));
    }
    const auto response =
        ops::exec_streaming(engine_, context, request,
                            {.on_stdout = [this](std::string_view bytes) { pass_on(out_, bytes); },
                             .on_stderr = [this](std::string_view bytes) { pass_on(err_, bytes); },
                             .on_missing = say_missing,
                             .stdin_fd = usable_stdin(options_),
                             .on_started = [this](const RunId& id) { on_started(id); }});
    return finish(response);
  }

 private:
  void on_started(const RunId& id) {
    started_ = true;
    log_info("exec: started", {{"run", id.str()}});
  }

  void on_progress(const std::string& text) const {
    log_info(text);
    const bool shown = text.starts_with("putting ");
    if (shown && !started_ && !options_.quiet && stderr_is_terminal()) say(text);
  }

  void pass_on(const Output& output, std::string_view bytes) {
    if (interrupts_.cancel().cancelled() || interrupts_.detach().cancelled()) return;
    switch (output.write(bytes)) {
      case Written::Yes:
      case Written::Interrupted: return;
      case Written::ReaderGone:
        // A local command would get SIGPIPE now; this one gets stopped.
        given_up_.reader_gone = true;
        return interrupts_.stop_the_work();
      case Written::Failed:
        // A full disk here is no reason to end work over there: its output is kept there.
        given_up_.write_error = std::strerror(errno);
        return interrupts_.leave_the_work();
    }
  }

  GivenUp given_up() const {
    GivenUp all = given_up_;
    all.signal = interrupts_.first_signal();
    all.stopping = interrupts_.cancel().cancelled() && !options_.attach;
    return all;
  }

  void say_ending(const Ending& ending) const {
    for (const auto& failure : ending.failures) say(failure);
    if (options_.quiet) return;
    for (const auto& note : ending.notes) say(note);
  }

  Error explained(const Error& error) const {
    return with_tilde_hint(error, options_.run.cwd.value_or(""), engine_, options_.sandbox);
  }

  int finish(const Result<ops::ExecResponse>& response) const {
    if (!response) {
      say_error(explained(response.error()));
      return status_of(response.error(), given_up());
    }
    Ending ending = ending_of(*response, given_up());
    const auto hint = ops::not_found_hint(response->status, options_.run.login || options_.attach);
    if (!hint.empty() && stderr_is_terminal()) ending.notes.push_back(hint);
    say_ending(ending);
    return ending.status;
  }

  int finish_json(const Result<ops::ExecResponse>& response) const {
    if (!response) {
      return print_json_then(ops::error_json(explained(response.error())),
                             status_of(response.error(), given_up()));
    }
    return print_json_then(ops::to_json(*response), ending_of(*response, given_up()).status,
                           {result_again(*response)});
  }

  const ExecOptions& options_;
  ops::Engine& engine_;
  Interrupts& interrupts_;
  Output out_;
  Output err_;
  ops::Session session_;
  GivenUp given_up_;
  bool started_ = false;
};

int fail(const ExecOptions& options, const Error& error, int status) {
  show_failure(error, format_of(options.json));
  return status;
}

}  // namespace

int exec_command(const ExecOptions& options, const Doors& doors) {
  auto engine = engine_for(options.sandbox, doors);
  if (!engine) return fail(options, engine.error(), kExitFailure);
  auto request = to_request(options, **engine);
  if (!request) return fail(options, request.error(), kExitUsage);
  if (auto found = find_attached(options, **engine, *request); !found) {
    return fail(options, found.error(), kExitFailure);
  }
  auto interrupts = Interrupts::install([&](int) {
    if (options.quiet) return;
    say(options.attach ? "leaving it running"
                       : "stopping the command; Ctrl-C again to leave without waiting for "
                         "its end");
  });
  if (!interrupts) return fail(options, interrupts.error(), kExitFailure);
  return Exec(options, **engine, **interrupts).run(*std::move(request));
}

}  // namespace yonder::cli
