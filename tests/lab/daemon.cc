#include "lab/daemon.h"

#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "lab/command.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

constexpr std::uint64_t kLogLimit = 64 << 20;

}  // namespace

Result<Daemon> Daemon::start(const DaemonOptions& options) {
  // A server that starts again must not be taken for ready because of what it said before.
  ::unlink(options.log.c_str());
  // exec all the way down: the process that we spawn is the daemon itself.
  std::vector<std::string> argv{"/bin/sh", "-c",
                                "log=$1; shift; exec \"$@\" </dev/null >>\"$log\" 2>&1", "daemon",
                                options.log};
  if (!options.private_mounts.empty()) {
    const std::vector<std::string> inner{"unshare",
                                         "--mount",
                                         "--propagation",
                                         "private",
                                         "--",
                                         "/bin/sh",
                                         "-c",
                                         options.private_mounts + "exec \"$@\"",
                                         "daemon"};
    argv.insert(argv.end(), inner.begin(), inner.end());
  }
  argv.insert(argv.end(), options.argv.begin(), options.argv.end());
  TRY_ASSIGN(Subprocess process,
             Subprocess::spawn({.argv = argv, .environment = plain_environment()}));
  return Daemon(std::move(process), options.log);
}

bool Daemon::running() {
  return pid() > 0 && !process_.wait(Deadline::after(Duration::zero()));
}

void Daemon::end() {
  process_.signal(SIGKILL);
  process_.wait(Deadline::never());
}

std::string Daemon::log() const {
  auto content = read_file(log_, kLogLimit);
  return content ? *std::move(content) : std::string();
}

Result<void> Daemon::wait_for_log(std::string_view text) {
  bool found = false;
  const bool settled = eventually([&] {
    const bool ended = !running();
    found = log().find(text) != std::string::npos;
    return found || ended;
  });
  if (found) return {};
  return Error{settled ? Errc::Conflict : Errc::Timeout,
               concat("the daemon ", settled ? "ended" : "hangs", ": ", log()), ""};
}

}  // namespace yonder::lab
