#include "cli/run_report.h"

#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/run_words.h"

namespace yonder::cli {
namespace {

constexpr int kProgramNotFound = 127;  // as shells have it

const char* how_it_began(const ops::BackgroundResponse& response) {
  if (response.launch_recovered) return "it was started before, on ";
  return response.status.queue ? "it waits on " : "started on ";
}

std::string first_note(const ops::BackgroundResponse& response) {
  const bool over = has_ended(response.status.state);
  std::string note = over && !response.launch_recovered
                         ? concat("it has ended already, on ", response.sandbox, ": it ",
                                  what_became(response.status))
                         : concat(how_it_began(response), response.sandbox);
  for (const auto& gpu : response.status.gpus) note += concat(", GPU ", gpu.index);
  if (!response.session_name.empty()) note += concat(", session ", response.session_name);
  if (!response.log_file.empty()) note += concat(", log ", response.log_file);
  if (over && response.launch_recovered) note += concat("; it ", what_became(response.status));
  return note;
}

// Nothing of what was asked for has run, which a script that starts it must notice.
bool is_missing_program(const ops::BackgroundResponse& response) {
  return response.status.state == RunState::Exited && !response.launch_recovered &&
         response.status.exit_code == kProgramNotFound;
}

}  // namespace

Report run_report(const ops::BackgroundResponse& response) {
  const std::string& id = response.run_id.str();
  Report report{.status = kExitSuccess,
                .out = id + "\n",
                .if_unwritten = {
                    concat("the run's id is ", id, "; look with: yonder ps ", response.sandbox)}};
  for (const auto& warning : response.warnings) {
    // The operation's own advice is for agents; people get it below.
    if (warning.find(id) == std::string::npos) report.messages.push_back(warning);
  }
  if (response.connection_error || response.status.state == RunState::Unknown) {
    report.status = kExitFailure;
    report.messages.push_back(
        concat("whether ", id, " was started on ", response.sandbox,
               " is not known: the connection was lost; find out with: yonder wait ", id));
    return report;
  }
  // Also where nobody looks: a log of what was started should have it.
  if (response.chosen) {
    report.messages.push_back(concat("chose ", response.sandbox, ": ", response.chosen->why));
  }
  if (response.status.queue) {
    report.messages.push_back(
        concat("queued on ", response.sandbox, ", ", response.status.queue->ahead, " ahead"));
    for (const auto& holder : response.status.queue->holders) report.notes.push_back(holder);
  }
  if (is_missing_program(response)) {
    report.status = kProgramNotFound;
    report.messages.push_back(concat(id, " ended at once on ", response.sandbox,
                                     ": its program was not found (exit code 127)"));
  }
  if (has_ended(response.status.state)) {
    report.notes.push_back(first_note(response));
    report.notes.push_back(concat("what it printed:  yonder logs ", id));
    return report;
  }
  const std::vector<std::string> notes{
      first_note(response), concat("what it prints:   yonder logs -f ", id),
      concat("wait for its end: yonder wait ", id), concat("end it:           yonder stop ", id)};
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  if (!response.tmux_session.empty()) {
    report.notes.push_back(concat("sit beside it:    yonder attach ", id));
  }
  return report;
}

}  // namespace yonder::cli
