#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "ops/needs.h"
#include "ops/operation.h"
#include "ops/standing.h"
#include "ops/task_operations.h"
#include "ops/tasks.h"

namespace yonder::ops {
namespace {

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json time_or_null(std::int64_t ms) {
  return ms == 0 ? Json() : Json(static_cast<double>(ms) / 1000);
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json processes(const std::vector<ProcessInfo>& list) {
  Json json = Json::array();
  for (const auto& process : list) {
    json.push_back({{"pid", process.pid}, {"command", process.command}});
  }
  return json;
}

// The part that every answer about a run has.
Json status_json(const RunStatus& status) {
  Json json = standing_json(status.state);
  json.update(Json{{"proof", status.proof},
                   {"exit_code", value_or_null(status.exit_code)},
                   {"signal", text_or_null(status.signal)},
                   {"started_at", time_or_null(status.started_ms)},
                   {"ended_at", time_or_null(status.ended_ms)},
                   {"duration_s", value_or_null(status.duration_s)},
                   {"left_running", processes(status.left_running)},
                   {"gpus", given_gpus_json(status)},
                   {"queue", queue_json(status)}});
  return json;
}

// Of what Yonder did not start there is no record: what is gone has ended somehow.
RunStatus foreign_status(const CheckResponse& response) {
  RunStatus status{.proof = response.proof};
  if (response.running) status.state = *response.running ? RunState::Running : RunState::Lost;
  return status;
}

constexpr std::size_t kListedText = 200;
constexpr std::size_t kListedProcesses = 5;

void cut_text(std::string& text) {
  if (text.size() <= kListedText) return;
  text = clean_text(text.substr(0, kListedText)).text + "...";
}

// A line of a list, not the whole of the task.
void shorten(TaskInfo& task) {
  for (std::string* text : {&task.command, &task.description, &task.cwd, &task.key,
                            &task.session_name, &task.log_file, &task.status.proof}) {
    cut_text(*text);
  }
  auto& left = task.status.left_running;
  if (left.size() > kListedProcesses) left.resize(kListedProcesses);
  for (auto& process : left) cut_text(process.command);
}

}  // namespace

Json to_json(const TaskInfo& task) {
  Json json{{"run_id", text_or_null(task.run_id.str())},
            {"sandbox", task.sandbox},
            {"kind", text_or_null(task.kind)},
            {"command", task.command},
            {"description", task.description},
            {"cwd", task.cwd},
            {"key", text_or_null(task.key)},
            {"session_name", text_or_null(task.session_name)},
            {"tmux_session", text_or_null(task.tmux_session)},
            {"log_file", text_or_null(task.log_file)},
            {"log_bytes", task.log_bytes},
            {"launcher", text_or_null(task.launcher)},
            {"created_at", time_or_null(task.created_ms)},
            {"last_state", text_or_null(task.last_state)},
            {"last_seen_at", time_or_null(task.seen_ms.value_or(0))}};
  json.update(status_json(task.status));
  return json;
}

Json to_json(const CheckResponse& response) {
  const TaskInfo task = response.task.value_or(TaskInfo{});
  Json json = status_json(response.task ? task.status : foreign_status(response));
  json.update(Json{{"run_id", text_or_null(task.run_id.str())},
                   {"sandbox", response.sandbox},
                   {"tmux_session", text_or_null(response.tmux_session)},
                   {"session_name", text_or_null(task.session_name)},
                   {"log_file", text_or_null(response.log_file)},
                   {"log_tail", response.log_tail},
                   {"log_base64", text_or_null(response.raw_base64)},
                   {"log_size", response.log_size},
                   {"offset", response.offset},
                   {"next_offset", response.next_offset},
                   {"matches", response.matches},
                   {"truncated", response.truncated},
                   {"binary", response.binary},
                   {"connection_error", response.connection_error},
                   {"last_state", text_or_null(task.last_state)},
                   {"last_seen_at", time_or_null(task.seen_ms.value_or(0))},
                   {"watch_id", Json()},
                   {"warnings", response.warnings}});
  json["searched_from"] = response.searched_from ? Json(*response.searched_from) : Json();
  return json;
}

Json to_json(const StopTaskResponse& response) {
  Json json = status_json(response.task.status);
  json.update(Json{{"run_id", text_or_null(response.task.run_id.str())},
                   {"sandbox", response.task.sandbox},
                   {"gone", response.gone},
                   {"had_ended", response.had_ended},
                   {"connection_error", response.connection_error},
                   {"warnings", response.warnings}});
  return json;
}

Json to_json(const TaskList& list) {
  Json tasks = Json::array();
  for (const auto& task : list.tasks) tasks.push_back(to_json(task));
  Json places = Json::array();
  for (const auto& place : list.sandboxes) {
    Json error = place.error ? error_json(*place.error)["error"] : Json();
    places.push_back({{"sandbox", place.sandbox},
                      {"connection_alive", !place.error},
                      {"connection_error", error},
                      {"last_seen_at", time_or_null(place.seen_ms.value_or(0))},
                      {"more", place.more}});
  }
  return Json{{"tasks", tasks}, {"sandboxes", places}, {"warnings", list.warnings}};
}

Json page_json(TaskList list, const ListPage& page) {
  auto& tasks = list.tasks;
  std::stable_partition(tasks.begin(), tasks.end(),
                        [](const TaskInfo& task) { return !has_ended(task.status.state); });
  const std::size_t begin = std::min(page.skip, tasks.size());
  const std::size_t end = begin + std::min(page.limit, tasks.size() - begin);
  const std::size_t more = tasks.size() - end;
  tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(end), tasks.end());
  tasks.erase(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(begin));
  for (auto& task : tasks) shorten(task);
  Json json = to_json(list);
  json["more"] = more;
  return json;
}

}  // namespace yonder::ops
