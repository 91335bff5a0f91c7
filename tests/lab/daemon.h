#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace yonder::lab {

struct DaemonOptions {
  std::vector<std::string> argv;  // must stay in the foreground
  std::string log;                // where stdout and stderr go
  // Changes the mounts. When there is such a function, the daemon gets a mount namespace of its
  // own, in which it is called first.
  std::function<Result<void>()> private_mounts = {};
};

// A server program. It never holds the test's own stdin, stdout or stderr, so that whoever reads
// the test's output to its end does not wait for a server.
class Daemon {
 public:
  static Result<Daemon> start(const DaemonOptions& options);

  pid_t pid() const { return process_.pid(); }
  bool running();
  // SIGKILL, and wait: a daemon that is stopped or ignores signals ends too.
  void end();
  // Waits for a line of the log; fails early, with the log, when the program has ended.
  Result<void> wait_for_log(std::string_view text);
  std::string log() const;

 private:
  Daemon(Subprocess process, std::string log)
      : process_(std::move(process)), log_(std::move(log)) {}
  Subprocess process_;
  std::string log_;
};

}  // namespace yonder::lab
