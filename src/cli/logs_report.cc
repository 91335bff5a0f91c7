#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/run_words.h"
#include "cli/task_reports.h"

namespace yonder::cli {
namespace {

Report given_up_report(const std::string& run, const GivenUp& given_up) {
  Report report{.status = given_up_status(given_up)};
  if (given_up.reader_gone) return report;
  report.messages.push_back(given_up.write_error.empty()
                                ? concat(run, " was left alone; again with: yonder logs -f ", run)
                                : concat("cannot write the output: ", given_up.write_error));
  return report;
}

}  // namespace

Report logs_report(const Result<ops::LogEnd>& end, const std::string& run, bool follow,
                   const GivenUp& given_up) {
  const bool gave_up =
      given_up.signal != 0 || given_up.reader_gone || !given_up.write_error.empty();
  const bool broken_off = end ? end->detached : end.error().code == Errc::Cancelled;
  if (gave_up && (broken_off || given_up.signal == 0)) return given_up_report(run, given_up);
  if (!end) return {.status = kExitFailure, .messages = {about_run(run, end.error())}};
  if (!end->task) return {};
  const RunStatus& status = end->task->status;
  if (!follow && status.queue) {
    Report report{.messages = {concat(run, " is queued, ", status.queue->ahead,
                                      " ahead: it has printed nothing yet")}};
    report.notes = status.queue->holders;
    return report;
  }
  Report report{.messages = warnings_of(status)};
  if (!end->problem.empty()) report.messages.push_back(end->problem);
  if (!follow) return report;
  const std::string line = concat(run, " ", what_became(status));
  if (has_ended(status.state) && status.state != RunState::Lost) {
    report.notes.push_back(line);
    return report;
  }
  report.status = kExitFailure;
  report.messages.push_back(line);
  return report;
}

}  // namespace yonder::cli
