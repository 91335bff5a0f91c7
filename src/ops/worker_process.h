#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "store/transfer_note.h"

namespace yonder::ops {

// Processes of this machine that outlive us, and how to know them again.

std::optional<store::WorkerKey> worker_key(std::int64_t pid);
// Lives: the very same process, and not a zombie. Elsewhere: on another host, or in a container
// whose processes cannot be seen from here.
enum class Sight { Lives, Gone, Elsewhere };
Sight look_for(const store::WorkerKey& key);
inline bool lives(const store::WorkerKey& key) {
  return look_for(key) == Sight::Lives;
}

// Signals exactly this process; with `group`, its whole group where it leads one. False when it is
// gone.
bool signal_worker(const store::WorkerKey& key, int number, bool group);

struct WorkerCommand {
  std::vector<std::string> argv;  // argv[0] is an absolute path
  std::vector<std::string> environment;
  Secret input;          // its stdin: what must be in no argument and no environment
  std::string log_file;  // takes its stderr; made 0600
};
// Starts a process that is nobody's child: a session of its own, no terminal, no descriptor of
// ours. An error when the program could not be started.
Result<store::WorkerKey> start_worker(const WorkerCommand& command);

}  // namespace yonder::ops
