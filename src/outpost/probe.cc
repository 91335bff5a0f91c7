#include "outpost/probe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/launcher.h"

namespace yonder::outpost {
namespace {

std::vector<std::string> candidates(const Surroundings& around) {
  std::vector<std::string> places;
  const std::string cache = environment("XDG_CACHE_HOME");
  if (cache.starts_with('/')) places.push_back(cache);
  if (!around.home.empty()) {
    places.push_back(around.home + "/.cache");
    places.push_back(around.home);
  }
  for (const char* shared : {"/var/tmp", "/tmp", "/dev/shm"}) places.emplace_back(shared);
  return places;
}

// Runs a file made there: mount options, quotas and security modules all have their say.
bool can_execute(const std::string& script) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(script.c_str(), script.c_str(), nullptr);
    ::_exit(126);
  }
  int status = 0;
  // SIGCHLD is ignored in the serve loop, so the child may be reaped before us: then try by access.
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid) return ::access(script.c_str(), X_OK) == 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

wire::FoundPlace look_at_place(const std::string& path) {
  wire::FoundPlace place{.path = path};
  struct statvfs space {};
  if (::statvfs(path.c_str(), &space) == 0) {
    place.free_bytes = static_cast<std::int64_t>(space.f_bavail * space.f_frsize);
  }
  const std::string trial = concat(path, "/.yonder-trial-", ::getpid());
  {
    auto file = open_file(trial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    auto written = file ? write_all(*file, "#!/bin/sh\nexit 0\n") : Result<void>(file.error());
    place.writable = written.has_value();
    if (!written) place.problem = printable(written.error().message);
    if (file) ::fchmod(file->get(), 0700);
  }
  if (place.writable) {
    place.executable = can_execute(trial);
    if (!place.executable) place.problem = "programs may not be run there (noexec?)";
  }
  ::unlink(trial.c_str());
  return place;
}

}  // namespace

wire::ProbeReply probe(const Surroundings& around) {
  wire::ProbeReply reply;
  for (const auto& path : candidates(around)) reply.places.push_back(look_at_place(path));
  const std::string path = environment("PATH");
  reply.tmux = find_program("tmux", path);
  const SystemdFacts systemd = look_at_systemd();
  reply.systemd_run = systemd.systemd_run;
  reply.user_bus = systemd.user_bus;
  reply.lingering = systemd.lingering;
  if (const auto launcher = choose_launcher("", systemd)) reply.launcher = *launcher;
  reply.clock_ms = wall_clock_ms();
  return reply;
}

}  // namespace yonder::outpost
