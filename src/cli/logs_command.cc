#include <cerrno>
#include <cstring>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/logs_plan.h"
#include "cli/render.h"
#include "cli/task_reports.h"
#include "cli/task_work.h"
#include "cli/terminal_text.h"
#include "cli/unreached.h"
#include "ops/task_operations.h"

namespace yonder::cli {
namespace {

// Of a log in one JSON object.
constexpr std::size_t kMostCharacters = 8UL * 1000 * 1000;

// Passes a log on to stdout, and gives up when nobody takes it.
class LogPrinter {
 public:
  LogPrinter(Interrupts& interrupts, const Screen& shown_on)
      : interrupts_(interrupts),
        out_(Output::to_stdout(interrupts.wake_fd())),
        for_terminal_(shown_on.terminal),
        safe_(shown_on.styled) {}

  void pass_on(std::string_view bytes) {
    begun_ = begun_ || !bytes.empty();
    if (for_terminal_) {
      write(safe_.pass(bytes));
    } else {
      write(bytes);
    }
  }

  void finish() {
    if (for_terminal_) write(safe_.finish());
  }

  bool has_begun() const { return begun_; }

  GivenUp given_up() const {
    GivenUp all = given_up_;
    all.signal = interrupts_.first_signal();
    return all;
  }

 private:
  void write(std::string_view bytes) {
    if (interrupts_.cancel().cancelled() || interrupts_.detach().cancelled()) return;
    switch (out_.write(bytes)) {
      case Written::Yes:
      case Written::Interrupted: return;
      case Written::ReaderGone: given_up_.reader_gone = true; break;
      case Written::Failed: given_up_.write_error = std::strerror(errno); break;
    }
    interrupts_.leave_the_work();
  }

  Interrupts& interrupts_;
  Output out_;
  bool for_terminal_;
  TerminalText safe_;
  bool begun_ = false;
  GivenUp given_up_;
};

int fail(const LogsOptions& options, const Error& error) {
  show_failure(error, format_of(options.which.json));
  return kExitFailure;
}

Error no_such_session(const ops::TaskRef& run) {
  return {Errc::NotFound,
          concat("there is no run and no session '", printable(run.session), "' on ", run.sandbox),
          "`yonder ps --all` shows all runs"};
}

// The same object as agents get.
int print_as_json(const LogsOptions& options, TaskWork& work) {
  const auto request = check_request(options, work.runs().front(), kMostCharacters);
  auto context = work.context();
  auto seen = ops::check_task(work.engine(), context, request);
  const bool nothing = seen && !seen->task && !seen->connection_error &&
                       !seen->running.value_or(false) && seen->log_size == 0;
  if (nothing) seen = no_such_session(request.task);
  if (!seen) {
    return print_json_then(ops::error_json(seen.error()), status_of(seen.error(), work.given_up()));
  }
  return print_json_then(ops::to_json(*seen), seen->connection_error ? kExitFailure : kExitSuccess);
}

int print_as_is(const LogsOptions& options, TaskWork& work) {
  const Screen shown_on = screen(work.engine().environment);
  const LogReader reader = shown_on.terminal ? LogReader::Terminal : LogReader::Pipe;
  LogPrinter printer(work.interrupts(), shown_on);
  const ops::TaskRef& run = work.runs().front();
  auto context = work.context();
  auto end = ops::stream_log(work.engine(), context, log_request(options, run, reader),
                             [&](std::string_view bytes) { printer.pass_on(bytes); });
  if (!end) end = unreached(work.engine(), run, std::move(end).error(), "yonder logs");
  const bool nothing = end && !end->task && !end->detached && end->next_offset == 0;
  if (nothing && !printer.has_begun()) return fail(options, no_such_session(run));
  printer.finish();
  return show(logs_report(end, name_of(run), options.follow, printer.given_up()));
}

}  // namespace

int logs_command(const LogsOptions& options, const Doors& doors) {
  const auto work = TaskWork::begin(doors, options.which, "leaving it running");
  if (!work) return fail(options, work.error());
  return options.which.json ? print_as_json(options, **work) : print_as_is(options, **work);
}

}  // namespace yonder::cli
