#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/subprocess.h"
#include "model/run.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"

namespace yonder::ops {

// Which run, session or log is meant. At least one of the first three is given.
struct TaskRef {
  std::string run_id;  // whole, or a unique beginning of it, with or without "r-"
  std::string session;
  std::string log_file;
  std::string sandbox;  // empty: where it was started, as far as that is known; else the active one
};

struct FoundTask {
  SandboxSpec sandbox;
  std::optional<RunId> id;  // nothing: only a session or a log is known
  std::string session;
  std::string log_file;
};
// InvalidArgument when nothing is named, or a beginning fits several runs; NotFound when a run is
// not known here and no sandbox was named to ask.
Result<FoundTask> find_task(Engine& engine, Session& session, const TaskRef& ref);
// The ids and sessions of the newest runs that are remembered here; no machine is asked.
Result<std::vector<std::string>> known_runs(Engine& engine, std::size_t most);

// What is known of one run, for lists and replies.
struct TaskInfo {
  std::string sandbox;
  RunId run_id;
  RunStatus status;
  std::string kind;  // "exec" or "background"
  std::string command;
  std::string description;
  std::string cwd;
  std::string key;
  std::string session_name;
  std::string tmux_session;
  std::string log_file;
  std::string launcher;
  std::int64_t created_ms = 0;  // 0: not known
  std::uint64_t log_bytes = 0;
  std::optional<std::int64_t>
      seen_ms;             // set when the state was seen earlier, and cannot be seen now
  std::string last_state;  // that one
};
Json to_json(const TaskInfo& task);

struct CheckRequest {
  TaskRef task;
  std::uint64_t last_n_lines = 50;
  std::optional<std::uint64_t> offset;  // only what is new from this byte on
  std::string filter;                   // RE2: only lines that match
  std::optional<Duration> wait;         // until it ends or prints something (that matches)
  std::size_t max_output_chars = 20000;
  bool raw = false;  // the bytes as they are, in base64
};

struct CheckResponse {
  std::optional<TaskInfo> task;  // nothing: not a run of ours
  std::string sandbox;
  std::string tmux_session;
  std::string log_file;
  // Of a session or log that Yonder did not start: what is seen, and by what: "tmux" or "log".
  std::optional<bool> running;
  std::string proof;
  bool connection_error = false;
  std::string log_tail;
  std::string raw_base64;
  std::uint64_t offset = 0;
  std::uint64_t next_offset = 0;
  std::uint64_t log_size = 0;
  std::uint64_t matches = 0;
  std::optional<std::uint64_t> searched_from;  // by the filter
  bool truncated = false;
  bool binary = false;
  std::vector<std::string> warnings;
};
Result<CheckResponse> check_task(Engine& engine, CallContext& context, const CheckRequest& request);

// For people: bytes of a log as they are. Calls `on_bytes` with everything from `offset` on (or
// with the last lines), and with `follow` until the run has ended, over lost links too.
struct LogRequest {
  TaskRef task;
  std::uint64_t lines = 0;  // 0: from the beginning of the run
  std::optional<std::uint64_t> offset;
  std::string filter;
  bool follow = false;
};
struct LogEnd {
  std::optional<TaskInfo> task;
  std::uint64_t next_offset = 0;
  std::string problem;    // why the log could not be read, or not all of it
  bool detached = false;  // asked to stop reading
};
Result<LogEnd> stream_log(Engine& engine, CallContext& context, const LogRequest& request,
                          const std::function<void(std::string_view bytes)>& on_bytes);

// Until it has ended. Over lost links; `detach` and `cancel` both only stop the waiting.
Result<TaskInfo> wait_for_task(Engine& engine, CallContext& context, const TaskRef& ref);

struct StopTaskRequest {
  TaskRef task;
  int signal = 15;  // sent first
  Duration grace = std::chrono::seconds(10);
};
struct StopTaskResponse {
  TaskInfo task;
  bool gone = false;  // nothing of it was seen alive; otherwise task.status.left_running says what
  bool had_ended = false;  // before it was asked to
  bool connection_error = false;
  std::vector<std::string> warnings;
};
Result<StopTaskResponse> stop_task(Engine& engine, CallContext& context,
                                   const StopTaskRequest& request);

// Forgets an ended run here and over there. Conflict when it lives.
Result<TaskInfo> remove_task(Engine& engine, CallContext& context, const TaskRef& ref);

struct ListTasksRequest {
  std::optional<std::string> sandbox;  // nothing: all that are configured, at once
  // Also those that ended more than a day ago, and commands whose caller has gone.
  bool all = false;
  bool foreground = false;  // exec runs too
  bool scan = false;        // write down what the far sides know
  // How long machines may take to be reached; nothing: one that is asked alone as long as it takes,
  // and several no longer than two seconds.
  std::optional<Duration> wait;
  std::set<std::string> without;  // sandboxes that are not asked
};
struct SandboxTasks {
  std::string sandbox;
  std::optional<Error> error;           // not reachable: its tasks are what was last seen
  std::optional<std::int64_t> seen_ms;  // when it last answered
  bool more = false;                    // there are older ones
};
struct TaskList {
  std::vector<TaskInfo> tasks;  // newest first
  std::vector<SandboxTasks> sandboxes;
  std::vector<std::string> warnings;
  std::size_t only_foreground = 0;  // of a list without tasks: commands that it leaves out
};
Result<TaskList> list_tasks(Engine& engine, CallContext& context, const ListTasksRequest& request);
Json to_json(const TaskList& list);

// What one answer shows of a long list.
struct ListPage {
  std::size_t skip = 0;
  std::size_t limit = 50;
};
// Pure. Those that have not ended come first, then the newest; long texts are cut, as
// check_background_task has them whole. `more`: how many follow.
Json page_json(TaskList list, const ListPage& page);

// What attaches a terminal to the tmux session which shows the run.
Result<SpawnOptions> attach_words(Engine& engine, CallContext& context, const TaskRef& ref);

}  // namespace yonder::ops
