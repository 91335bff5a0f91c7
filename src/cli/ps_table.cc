#include "cli/ps_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "base/text.h"
#include "cli/one_line.h"
#include "cli/run_words.h"
#include "ops/ask_machines.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kShortest = 8;  // "r-" and 30 bits

std::size_t common_start(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(end - a.begin());
}

bool is_unseen(const ops::TaskInfo& task) {
  return task.seen_ms || task.status.state == RunState::Unknown;
}

std::string status_text(const RunStatus& status) {
  switch (status.state) {
    case RunState::Exited:
      return status.exit_code ? concat("exited ", *status.exit_code) : "exited";
    case RunState::Signaled: return status.signal.empty() ? "signaled" : status.signal;
    case RunState::TimedOut: return "timed out";
    case RunState::Queued:
      return status.queue ? concat("queued (", status.queue->ahead, " ahead)") : "queued";
    default: return std::string(name_of(status.state));
  }
}

std::string time_text(const ops::TaskInfo& task, std::int64_t now_ms) {
  if (task.status.duration_s) return lasted(*task.status.duration_s);
  const bool runs = task.status.state == RunState::Running && !is_unseen(task);
  if (!runs || task.status.started_ms == 0) return "-";
  return lasted(static_cast<double>(now_ms - task.status.started_ms) / 1000);
}

std::string session_of(const ops::TaskInfo& task) {
  return one_line(task.session_name.empty() ? task.tmux_session : task.session_name);
}

std::string utc(std::int64_t ms) {
  if (ms <= 0) return "";
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "";
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string seconds_field(const RunStatus& status) {
  if (!status.duration_s) return "";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", *status.duration_s);
  return text.data();
}

std::string unreachable_note(const ops::SandboxTasks& sandbox, std::int64_t now_ms) {
  const std::string seen = sandbox.seen_ms ? concat("last seen ", ago(*sandbox.seen_ms, now_ms))
                                           : "when it last answered is not known here";
  if (sandbox.error->message == ops::no_answer_yet().message) {
    return concat(one_line(sandbox.sandbox), ": ", sandbox.error->message, " (", seen,
                  "); to wait longer: --wait 20");
  }
  const std::string hint = one_line(sandbox.error->hint);
  return concat(one_line(sandbox.sandbox), " does not answer (", seen,
                "): ", one_line(sandbox.error->message), hint.empty() ? "" : concat("; ", hint));
}

std::vector<Row> rows_of(const ops::TaskList& list, std::int64_t now_ms) {
  std::vector<std::string> ids;
  for (const auto& task : list.tasks) ids.push_back(task.run_id.str());
  const auto shown = short_ids(ids);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < list.tasks.size(); ++i) {
    const auto& task = list.tasks[i];
    rows.push_back({one_line(shown[i]), one_line(task.sandbox), task_state(task, now_ms),
                    task.created_ms > 0 ? age(task.created_ms, now_ms) : "-",
                    time_text(task, now_ms), or_dash(session_of(task)), task_command(task)});
  }
  return rows;
}

}  // namespace

std::string task_state(const ops::TaskInfo& task, std::int64_t now_ms) {
  if (task.seen_ms) {
    const std::string what = task.last_state.empty() ? "seen" : one_line(task.last_state);
    return concat("unknown (", what, " ", ago(*task.seen_ms, now_ms), ")");
  }
  const auto alive = task.status.left_running.size();
  const bool leftovers = has_ended(task.status.state) && alive != 0;
  return concat(one_line(status_text(task.status)), leftovers ? concat(", ", alive, " alive") : "");
}

std::string task_command(const ops::TaskInfo& task) {
  const std::string about = one_line(task.description);
  return concat(one_line(task.command), about.empty() ? "" : concat("  # ", about));
}

std::vector<std::string> short_ids(const std::vector<std::string>& ids) {
  std::vector<std::string> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::string> shorts;
  for (const auto& id : ids) {
    // Who shares the longest beginning stands next to it.
    const auto here = std::lower_bound(sorted.begin(), sorted.end(), id);
    std::size_t length = kShortest;
    if (here != sorted.begin()) length = std::max(length, common_start(id, *(here - 1)) + 1);
    if (here + 1 != sorted.end()) length = std::max(length, common_start(id, *(here + 1)) + 1);
    shorts.push_back(id.substr(0, length));
  }
  return shorts;
}

std::vector<std::string> ps_notes(const ops::TaskList& list, std::int64_t now_ms) {
  std::vector<std::string> notes;
  for (const auto& sandbox : list.sandboxes) {
    if (sandbox.error) notes.push_back(unreachable_note(sandbox, now_ms));
    if (sandbox.more) {
      notes.push_back(concat(one_line(sandbox.sandbox), " has older runs; --all shows more"));
    }
  }
  if (list.only_foreground > 0) {
    notes.push_back(concat("no background runs; ", list.only_foreground,
                           list.only_foreground == 1 ? " command that was" : " commands that were",
                           " run and waited for: yonder ps --exec shows ",
                           list.only_foreground == 1 ? "it" : "them"));
  }
  for (const auto& warning : list.warnings) notes.push_back(one_line(warning));
  return notes;
}

std::string ps_screen(const ops::TaskList& list, std::size_t width, bool styled,
                      std::int64_t now_ms) {
  const Row header{"RUN", "SANDBOX", "STATE", "AGE", "TIME", "SESSION", "COMMAND"};
  std::string text = list.tasks.empty()
                         ? concat("No ", list.only_foreground > 0 ? "background " : "",
                                  "runs. `yonder run -- COMMAND` starts one.\n")
                         : aligned_table(header, rows_of(list, now_ms), width, styled);
  const auto notes = ps_notes(list, now_ms);
  if (!notes.empty()) text += concat("\n", join(notes, "\n"), "\n");
  return text;
}

std::vector<Row> ps_fields(const ops::TaskList& list) {
  std::vector<Row> rows;
  for (const auto& task : list.tasks) {
    const RunStatus& status = task.status;
    Row row{task.run_id.str(),
            one_line(task.sandbox),
            std::string(name_of(task.seen_ms ? RunState::Unknown : status.state)),
            status.exit_code ? std::to_string(*status.exit_code) : "",
            one_line(status.signal),
            utc(task.created_ms),
            seconds_field(status),
            session_of(task),
            task.seen_ms ? one_line(task.last_state) : "",
            utc(task.seen_ms.value_or(0)),
            one_line(task.command)};
    for (auto& field : row) field = or_dash(std::move(field));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace yonder::cli
