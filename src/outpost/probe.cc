#include "outpost/probe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/launcher.h"
#include "outpost/room.h"

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
  const bool known = std::any_of(places.begin(), places.end(), [&](const std::string& place) {
    return around.state_dir.starts_with(place + "/");
  });
  if (!around.state_dir.empty() && !known) places.push_back(around.state_dir);
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

// The last directory above it that is on the same file system.
std::string mount_point_of(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  std::string here = real ? real.get() : path;
  struct stat info {};
  if (::stat(here.c_str(), &info) != 0) return "";
  const dev_t device = info.st_dev;
  while (here.size() > 1) {
    const std::size_t slash = here.find_last_of('/');
    const std::string above = slash == 0 ? "/" : here.substr(0, slash);
    if (::stat(above.c_str(), &info) != 0 || info.st_dev != device) break;
    here = above;
  }
  return printable(here);
}

wire::FoundPlace look_at_place(const std::string& path) {
  wire::FoundPlace place{.path = path};
  struct statvfs space {};
  if (::statvfs(path.c_str(), &space) == 0) {
    place.free_bytes = static_cast<std::int64_t>(space.f_bavail * space.f_frsize);
    if (space.f_files > 0) place.free_files = static_cast<std::int64_t>(space.f_favail);
    place.disk = mount_point_of(path);
    place.full = is_full(space, ::geteuid() == 0);
  }
  const std::string trial = concat(path, "/.yonder-trial-", ::getpid());
  {
    auto file = open_file(trial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    auto written = file ? write_all(*file, "#!/bin/sh\nexit 0\n") : Result<void>(file.error());
    place.writable = written.has_value();
    if (!written) place.problem = printable(written.error().message);
    place.full = place.full || (!written && written.error().code == Errc::NoRoom);
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
