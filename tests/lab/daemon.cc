#include "lab/daemon.h"

#include <signal.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "lab/command.h"
#include "lab/mounts.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

constexpr std::uint64_t kLogLimit = 64 << 20;

// Mounts belong to threads, and a child has those of the thread that forked it.
Result<Subprocess> spawn_elsewhere(const SpawnOptions& options,
                                   const std::function<Result<void>()>& change_mounts) {
  Result<Subprocess> process = Error{};
  std::thread([&] {
    process = [&]() -> Result<Subprocess> {
      TRY(enter_mounts_of_a_server());
      TRY(change_mounts());
      return Subprocess::spawn(options);
    }();
  }).join();
  return process;
}

}  // namespace

Result<Daemon> Daemon::start(const DaemonOptions& options) {
  // A server that starts again must not be taken for ready because of what it said before.
  ::unlink(options.log.c_str());
  // exec all the way down: the process that we spawn is the daemon itself.
  std::vector<std::string> argv{"/bin/sh", "-c",
                                "log=$1; shift; exec \"$@\" </dev/null >>\"$log\" 2>&1", "daemon",
                                options.log};
  argv.insert(argv.end(), options.argv.begin(), options.argv.end());
  const SpawnOptions spawn{.argv = argv, .environment = plain_environment()};
  TRY_ASSIGN(Subprocess process, options.private_mounts
                                     ? spawn_elsewhere(spawn, options.private_mounts)
                                     : Subprocess::spawn(spawn));
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
