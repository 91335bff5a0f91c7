#include "cli/exec_ending.h"

#include "base/quote.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/run_words.h"

namespace yonder::cli {
namespace {

std::string attach_command(const ops::ExecResponse& response) {
  return concat(ShellText("yonder exec").arg(response.sandbox).str(), " --attach ",
                response.run_id.str());
}

int own_status(const ops::ExecResponse& response) {
  return response.status.exit_code.value_or(kExitFailure);
}

Ending unseen(const ops::ExecResponse& response) {
  Ending ending{.status = kExitFailure};
  std::string why = response.connection_error ? "the connection is lost" : response.status.proof;
  ending.failures.push_back(concat(
      why,
      "; what became of the command is not known. Ask again with: ", attach_command(response)));
  for (const auto& warning : response.warnings) {
    // The operation's own advice is for agents; the line above has it for people.
    if (warning.find(response.run_id.str()) == std::string::npos) ending.notes.push_back(warning);
  }
  return ending;
}

Ending left_alone(const ops::ExecResponse& response, const GivenUp& given_up) {
  Ending ending{.status = given_up_status(given_up)};
  if (given_up.stopping) {
    ending.failures.push_back(
        concat("left before the stop was seen, so the command may go on; look with: ",
               attach_command(response)));
  } else if (given_up.write_error.empty()) {
    ending.failures.push_back(
        concat("the command is left running; wait for it with: ", attach_command(response)));
  } else {
    ending.failures.push_back(
        concat("cannot write the output: ", given_up.write_error,
               "; the command was left alone, what was not written is kept for: ",
               attach_command(response)));
  }
  return ending;
}

Ending stopped(const ops::ExecResponse& response, const GivenUp& given_up) {
  const bool by_us = given_up.signal != 0 || given_up.reader_gone;
  const int own = response.status.exit_code.value_or(kExitSignalBase);
  Ending ending{.status = by_us ? given_up_status(given_up) : own};
  const auto& alive = response.status.left_running;
  if (!alive.empty()) {
    ending.failures.push_back(concat("stopped, but still running: ", processes(alive)));
  } else if (!given_up.reader_gone) {
    ending.notes.emplace_back(by_us ? "stopped" : "the command was stopped by somebody else");
  }
  return ending;
}

Ending ended(const ops::ExecResponse& response) {
  Ending ending{.status = own_status(response)};
  if (response.status.state == RunState::TimedOut) {
    ending.notes.emplace_back("stopped at its time limit");
  }
  if (!response.status.left_running.empty()) {
    ending.notes.push_back(
        concat("still running after the command: ", processes(response.status.left_running)));
  }
  // Output that was lost must be told, --quiet or not.
  for (auto& warning : warnings_of(response.status)) {
    (response.status.disk_full ? ending.failures : ending.notes).push_back(std::move(warning));
  }
  return ending;
}

// It had ended when its output could not be written; how is not what the status says then.
Ending unwritten(const ops::ExecResponse& response, const GivenUp& given_up) {
  return {.status = given_up_status(given_up),
          .failures = {concat("cannot write the output: ", given_up.write_error, "; the command ",
                              what_became(response.status),
                              "; read its output again with: ", attach_command(response))}};
}

}  // namespace

int given_up_status(const GivenUp& given_up) {
  if (given_up.reader_gone) return kExitReaderGone;
  if (given_up.signal != 0) return kExitSignalBase + given_up.signal;
  return given_up.write_error.empty() ? kExitFailure : kExitUnwritten;
}

std::string result_again(const ops::ExecResponse& response) {
  return concat("its result can be read again with: ", attach_command(response));
}

Ending ending_of(const ops::ExecResponse& response, const GivenUp& given_up) {
  if (response.detached) return left_alone(response, given_up);
  if (response.connection_error) return unseen(response);
  const bool ended_unwritten = !given_up.write_error.empty() && has_ended(response.status.state);
  if (ended_unwritten) return unwritten(response, given_up);
  switch (response.status.state) {
    case RunState::Unknown: return unseen(response);
    case RunState::Queued:
    case RunState::Running:
      return {.status = given_up.signal != 0 || given_up.reader_gone ? given_up_status(given_up)
                                                                     : kExitWaitOver,
              .failures = {concat("still running; wait for it with: ", attach_command(response))}};
    case RunState::Lost:
      return {.status = kExitFailure,
              .failures = {concat("the command is lost: ", response.status.proof, " (",
                                  response.run_id.str(), ")")}};
    case RunState::Refused:
      return {.status = kExitFailure,
              .failures = {concat("the command never began: ", response.status.proof)}};
    case RunState::Stopped: return stopped(response, given_up);
    case RunState::Exited:
    case RunState::Signaled:
    case RunState::TimedOut: break;
  }
  return ended(response);
}

int status_of(const Error& error, const GivenUp& given_up) {
  return error.code == Errc::Cancelled ? given_up_status(given_up) : kExitFailure;
}

}  // namespace yonder::cli
