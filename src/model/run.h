#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/head_tail.h"
#include "base/id.h"

namespace yonder {

// What to run over there.
struct RunRequest {
  std::string command;            // a shell line; or, when empty:
  std::vector<std::string> argv;  // a program and its arguments, no shell between
  std::optional<std::string> cwd;
  std::map<std::string, std::string> env;
  bool login = false;  // with the environment of the user's login shell
  std::string key;     // a second start with the same key attaches to the first
  std::optional<Duration> timeout;
  Duration grace = std::chrono::seconds(5);  // between TERM and KILL

  // GPUs that it is to have for itself.
  std::uint64_t gpus = 0;
  std::uint64_t gpu_memory_mb = 0;          // of each of them; 0: any
  bool gpu_queue = false;                   // wait until they are free; otherwise it is refused
  std::optional<Duration> gpu_queue_limit;  // no longer than that
};

enum class RunState {
  Queued,
  Running,
  Exited,
  Signaled,
  TimedOut,
  Stopped,
  Refused,  // it never began: what it needs was not to be had
  Lost,
  Unknown
};
std::string_view name_of(RunState state);
inline bool has_ended(RunState state) {
  return state != RunState::Queued && state != RunState::Running && state != RunState::Unknown;
}

struct ProcessInfo {
  std::int64_t pid = 0;
  std::string command;
};

// A GPU that a run was given.
struct GivenGpu {
  std::uint64_t index = 0;
  std::string uuid;
};

// Where a run stands that waits for its GPUs.
struct QueuePlace {
  std::uint64_t ahead = 0;  // waiting runs that come before it
  std::int64_t since_ms = 0;
  std::vector<std::string> holders;  // who has what, a sentence for each GPU
};

// What was observed of a run, and by which proof.
struct RunStatus {
  RunState state = RunState::Unknown;
  std::string proof;
  std::optional<int> exit_code;  // as a shell would give it: 128+n for signal n, 124 for our limit
  std::string signal;            // "SIGKILL"; empty when none
  std::vector<ProcessInfo> left_running;  // of its process tree, after the command itself has ended
  std::optional<double> duration_s;
  std::int64_t started_ms = 0;      // wall clock over there; 0: not started yet
  std::int64_t ended_ms = 0;        // likewise; 0: no end is known
  std::vector<GivenGpu> gpus;       // for itself
  std::optional<QueuePlace> queue;  // while it waits for them
  // The disk of its output was seen without room, in its time or now: output may be missing.
  bool disk_full = false;
  std::string moved;  // a sentence about where its record is; empty: in the usual place
};
// Sentences about what else was seen of it and should be known. Pure.
std::vector<std::string> warnings_of(const RunStatus& status);

inline bool goes_on(RunState state) {
  return state == RunState::Queued || state == RunState::Running;
}

// "SIGTERM" for 15; "SIG<n>" for what has no name.
std::string signal_name(int number);

}  // namespace yonder
