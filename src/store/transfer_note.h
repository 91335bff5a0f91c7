#pragma once

#include <cstdint>
#include <string>

namespace yonder::store {

// A process that nobody else can be taken for: pids are used again, boots begin anew, and a home
// directory may be seen from several machines and containers, each with its own pids.
struct WorkerKey {
  std::int64_t pid = 0;    // 0: not known
  std::string start_time;  // as the system counts it
  std::string boot_id;
  std::string host;           // empty: not known
  std::string pid_namespace;  // likewise
  bool operator==(const WorkerKey&) const = default;
};

// A sync that goes on in a process of its own.
struct TransferNote {
  std::int64_t id = 0;
  std::string direction;  // "local_to_remote", "remote_to_local" or "git_sync"
  std::string sandbox;
  std::string local_path;  // absolute; bytes as they are
  std::string remote_path;
  std::string options;  // JSON
  std::string status;   // queued, running, completed, failed, cancelled
  WorkerKey worker;
  std::int64_t created_ms = 0;
  std::int64_t started_ms = 0;   // 0: not yet
  std::int64_t updated_ms = 0;   // the last sign of life
  std::int64_t finished_ms = 0;  // 0: not yet
  std::string progress;          // JSON; empty: none
  std::string result;            // JSON; empty: none
  std::string error;             // JSON; empty: none
  bool cancel_requested = false;
};

// How one ended.
struct TransferEnd {
  std::string status;
  std::string result;  // JSON or empty
  std::string error;   // JSON or empty
  std::int64_t at_ms = 0;
};

}  // namespace yonder::store
