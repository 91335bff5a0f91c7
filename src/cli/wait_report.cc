#include "base/clock.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/run_words.h"
#include "cli/task_reports.h"
#include "cli/unreached.h"
#include "ops/exec.h"

namespace yonder::cli {
namespace {

std::string took(const RunStatus& status) {
  return status.duration_s ? concat(" after ", lasted(*status.duration_s)) : "";
}

int own_status(const RunStatus& status) {
  if (status.state == RunState::Lost) return kExitFailure;
  return status.exit_code.value_or(status.state == RunState::Stopped ? kExitSignalBase
                                                                     : kExitFailure);
}

bool is_waited_for(const Result<ops::TaskInfo>& result) {
  return result && has_ended(result->status.state);
}

bool is_left(const Result<ops::TaskInfo>& result, const GivenUp& given_up) {
  if (!result) return result.error().code == Errc::Cancelled;
  return given_up.signal != 0 && !is_waited_for(result);
}

// Gives the status of this one.
int add(const Outcome<ops::TaskInfo>& outcome, Report& report) {
  const auto& [run, result] = outcome;
  if (!result) {
    report.messages.push_back(about_run(run, result.error()));
    return kExitFailure;
  }
  const RunStatus& status = result->status;
  if (!has_ended(status.state)) {
    const std::string last =
        last_seen_text(result->last_state, result->seen_ms.value_or(0), wall_clock_ms());
    report.messages.push_back(concat(run, ": ", what_became(status), last.empty() ? "" : "; ", last,
                                     "; ask again with: yonder wait ", run));
    return kExitFailure;
  }
  const std::string line = concat(run, ": ", what_became(status), took(status));
  if (status.state == RunState::Lost) {
    report.messages.push_back(line);
  } else {
    report.out += line + "\n";
  }
  if (!status.left_running.empty()) {
    report.messages.push_back(
        concat(run, ": still running after it: ", processes(status.left_running, "pid ")));
  }
  const auto hint = ops::not_found_hint(status, false);
  if (!hint.empty()) report.notes.push_back(concat(run, ": ", hint));
  for (const auto& warning : warnings_of(status)) {
    report.messages.push_back(concat(run, ": ", warning));
  }
  return own_status(status);
}

}  // namespace

Report wait_report(const std::vector<Outcome<ops::TaskInfo>>& outcomes, const GivenUp& given_up) {
  Report report;
  std::vector<std::string> left;
  for (const auto& outcome : outcomes) {
    if (is_left(outcome.result, given_up)) {
      left.push_back(outcome.run);
      continue;
    }
    const int status = add(outcome, report);
    if (report.status == 0) report.status = status;
  }
  if (!left.empty()) {
    report.status = given_up_status(given_up);
    report.messages.push_back(
        concat("not waiting any longer, and nothing was stopped; again with: yonder wait ",
               join(left, " ")));
  }
  return report;
}

}  // namespace yonder::cli
