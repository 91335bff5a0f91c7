#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/run_words.h"
#include "cli/task_reports.h"

namespace yonder::cli {
namespace {

enum class Verdict { Fine, Lives, NotSeen, Left };

std::string before_that(const ops::StopTaskResponse& response) {
  if (!response.had_ended) return "";
  const RunState state = response.task.status.state;
  if (state == RunState::Lost) return what_became(response.task.status);
  // "was stopped" happened before; "exited with 3" too.
  const std::string ended = what_became(response.task.status);
  return ended.starts_with("was ") ? concat("had already been ", ended.substr(4))
                                   : concat("had already ", ended);
}

std::string alive_text(const RunStatus& status) {
  if (status.left_running.empty()) return concat("NOT gone: it ", what_became(status));
  return concat("NOT gone: ", processes(status.left_running, "pid "));
}

std::string seen_text(const ops::StopTaskResponse& response) {
  const std::string before = before_that(response);
  if (response.gone) return before.empty() ? "stopped" : before;
  return concat(before, before.empty() ? "" : "; ", alive_text(response.task.status));
}

Verdict add(const Outcome<ops::StopTaskResponse>& outcome, Report& report) {
  const auto& [run, result] = outcome;
  if (!result && result.error().code == Errc::Cancelled) {
    report.messages.push_back(
        concat(run, ": left before its end was seen, so it may go on; look with: yonder ps"));
    return Verdict::Left;
  }
  if (!result) {
    report.messages.push_back(about_run(run, result.error()));
    return Verdict::NotSeen;
  }
  for (const auto& warning : result->warnings) {
    report.messages.push_back(concat(run, ": ", warning));
  }
  const bool unseen = result->connection_error || result->task.status.state == RunState::Unknown;
  if (unseen && !result->gone) {
    report.messages.push_back(
        concat(run, ": whether it is gone could not be seen; ask again with: yonder stop ", run));
    return Verdict::NotSeen;
  }
  report.out += concat(run, ": ", seen_text(*result), "\n");
  return result->gone ? Verdict::Fine : Verdict::Lives;
}

}  // namespace

Report stop_report(const std::vector<Outcome<ops::StopTaskResponse>>& outcomes,
                   const GivenUp& given_up) {
  Report report;
  bool lives = false;
  bool left = false;
  bool unseen = false;
  for (const auto& outcome : outcomes) {
    const Verdict verdict = add(outcome, report);
    lives = lives || verdict == Verdict::Lives;
    left = left || verdict == Verdict::Left;
    unseen = unseen || verdict == Verdict::NotSeen;
  }
  if (left) {
    report.status = given_up_status(given_up);
  } else if (lives) {
    report.status = kExitProblems;
  } else if (unseen) {
    report.status = kExitFailure;
  }
  return report;
}

Report rm_report(const std::vector<Outcome<ops::TaskInfo>>& outcomes) {
  Report report;
  bool lives = false;
  for (const auto& [run, result] : outcomes) {
    if (result) {
      report.out += concat(run, ": forgotten\n");
    } else if (result.error().code == Errc::Conflict) {
      lives = true;
      report.messages.push_back(
          concat(run, ": ", result.error().message, "; end it with: yonder stop ", run));
    } else {
      report.status = kExitFailure;
      report.messages.push_back(about_run(run, result.error()));
    }
  }
  if (lives) report.status = kExitProblems;
  return report;
}

}  // namespace yonder::cli
