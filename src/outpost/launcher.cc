#include "outpost/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "base/user_name.h"
#include "outpost/child.h"
#include "outpost/command.h"
#include "outpost/command_process.h"
#include "outpost/detach.h"
#include "outpost/handover.h"
#include "outpost/machine.h"
#include "outpost/self.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

constexpr int kStopLookMs = 50;
constexpr std::uint64_t kPasswdLimit = 16UL * 1024 * 1024;
constexpr std::uint64_t kCgroupLimit = 65536;
constexpr char kReady = 'r';
constexpr char kGo = 'g';

bool is_socket(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

std::string find_user_bus() {
  const std::string own = environment("XDG_RUNTIME_DIR");
  for (const std::string& directory : {own, concat("/run/user/", ::geteuid())}) {
    if (directory.starts_with('/') && is_socket(directory + "/bus")) return directory + "/bus";
  }
  return "";
}

// A static program must not ask NSS. Users that are not in the file are named by their login.
std::string find_user_name() {
  const auto passwd = read_file("/etc/passwd", kPasswdLimit);
  std::string name = name_in_passwd(passwd ? *passwd : "", ::geteuid());
  if (!name.empty()) return name;
  const std::string user = environment("USER");
  return user.empty() ? environment("LOGNAME") : user;
}

bool is_lingering(const std::string& user) {
  return !user.empty() && user.find('/') == std::string::npos &&
         path_exists("/var/lib/systemd/linger/" + user);
}

std::vector<std::string> with_runtime_directory(const std::string& bus) {
  std::vector<std::string> entries;
  for (auto& entry : current_environment()) {
    if (!entry.starts_with("XDG_RUNTIME_DIR=")) entries.push_back(std::move(entry));
  }
  entries.push_back("XDG_RUNTIME_DIR=" + bus.substr(0, bus.find_last_of('/')));
  return entries;
}

void inherit(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFD, 0);
}

// Becomes systemd-run, which becomes the supervisor. What it says when it cannot is kept.
[[noreturn]] void become_scope(const RunRecord& record, const SystemdFacts& systemd, const Fd& lock,
                               const Fd& channel) {
  const auto said = open_file(record.path("launch.problem"), O_WRONLY | O_CREAT | O_TRUNC);
  if (said) ::dup2(said->get(), STDERR_FILENO);
  inherit(lock);
  inherit(channel);
  execute({.program = systemd.systemd_run,
           .argv = {"systemd-run", "--user", "--scope", "--quiet", "--collect",
                    "--unit=" + scope_unit(record), "--", own_path(), "supervise",
                    record.directory(), std::to_string(lock.get()), std::to_string(channel.get())},
           .environment = with_runtime_directory(systemd.user_bus)});
  ::_exit(kCannotStart);
}

// False when the other end is closed, or does not speak in time, or when the run was stopped
// meanwhile.
bool hear_ready(const RunRecord& record, const Fd& channel, const Deadline& deadline) {
  while (!deadline.expired() && !record.stop_wanted()) {
    pollfd waiting{channel.get(), POLLIN, 0};
    if (::poll(&waiting, 1, kStopLookMs) <= 0) continue;
    char word = 0;
    return ::read(channel.get(), &word, 1) == 1 && word == kReady;
  }
  return false;
}

// True when a supervisor in a scope of its own has taken the run. Otherwise nothing has begun and
// nothing will: without the word from here it ends.
bool launch_in_scope(const RunRecord& record, const Fd& lock, const SystemdFacts& systemd,
                     const Deadline& deadline) {
  auto channel = make_channel();
  if (!channel) return false;
  const pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) {
    channel->near.reset();
    become_scope(record, systemd, lock, channel->far);
  }
  const Child child(pid);
  channel->far.reset();
  const char go = kGo;
  if (hear_ready(record, channel->near, deadline) && ::write(channel->near.get(), &go, 1) == 1)
    return true;
  channel->near.reset();
  child.signal(SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return false;
}

// The starter only forks once more: it says why it could not, or the supervisor says that it is
// there. Not by an exit code: the kernel keeps none for a process that ignores SIGCHLD, as the
// outpost does.
Result<void> hear_of_fork(pid_t starter, Pipe words) {
  words.write.reset();
  int error_number = 0;
  ssize_t n = 0;
  do {
    n = ::read(words.read.get(), &error_number, sizeof error_number);
  } while (n < 0 && errno == EINTR);
  while (::waitpid(starter, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (n != sizeof error_number) {
    return Error{Errc::Internal, "the starter of the run was killed", ""};
  }
  if (error_number != 0) return errno_error("fork", error_number);
  return {};
}

void say_of_fork(Fd& words, int error_number) {
  [[maybe_unused]] const auto said = ::write(words.get(), &error_number, sizeof error_number);
  words.reset();
}

[[noreturn]] void live_in_session(HeldRecord held, wire::StartRequest spec) {
  spec.launcher = "session";
  ::_exit(supervise(std::move(held), spec));
}

bool is_lock_of(const RunRecord& record, const Fd& lock) {
  struct stat held {};
  struct stat spec {};
  return ::fstat(lock.get(), &held) == 0 && ::stat(record.path("spec").c_str(), &spec) == 0 &&
         held.st_dev == spec.st_dev && held.st_ino == spec.st_ino;
}

}  // namespace

SystemdFacts look_at_systemd() {
  return {.systemd_run = find_program("systemd-run", environment("PATH")),
          .user_bus = find_user_bus(),
          .lingering = is_lingering(find_user_name())};
}

Result<std::string> choose_launcher(const std::string& wanted, const SystemdFacts& systemd) {
  if (wanted == "session") return wanted;
  if (!wanted.empty() && wanted != "scope") {
    return Error{Errc::InvalidArgument, concat("launcher '", wanted, "' is not known"),
                 "nothing was run; it is scope or session"};
  }
  std::vector<std::string> missing;
  if (systemd.systemd_run.empty()) missing.emplace_back("there is no systemd-run");
  if (!systemd.lingering) missing.emplace_back("lingering is off for the user");
  if (systemd.user_bus.empty()) missing.emplace_back("the user's bus is not reachable");
  if (missing.empty()) return std::string("scope");
  if (wanted.empty()) return std::string("session");
  return Error{
      Errc::Unsupported, "launcher 'scope' cannot be used on this machine: " + join(missing, "; "),
      "nothing was run; `loginctl enable-linger` turns lingering on; or leave the launcher "
      "out"};
}

Result<void> launch_background(const RunRecord& record, const wire::StartRequest& spec,
                               const Fd& lock, const SystemdFacts& systemd, Duration patience) {
  HeldRecord held(record);
  if (held.fd() < 0) return errno_error("open " + record.directory());
  TRY_ASSIGN(Pipe words, make_pipe());
  const SupervisorSignals blocked;
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("fork");
  if (pid > 0) return hear_of_fork(pid, std::move(words));
  show_as_supervisor(record.id());
  leave_the_link({lock.get(), held.fd(), words.write.get()});
  // Once more: whoever leads a session can get a terminal, and is somebody's child.
  const pid_t second = ::fork();
  if (second < 0) say_of_fork(words.write, errno);
  if (second != 0) ::_exit(0);
  say_of_fork(words.write, 0);
  const bool wants_scope = spec.launcher == "scope" && !record.stop_wanted();
  if (wants_scope && launch_in_scope(record, lock, systemd, Deadline::after(patience))) ::_exit(0);
  live_in_session(std::move(held), spec);
}

int supervise_in_scope(const RunRecord& record, Fd lock, Fd channel) {
  HeldRecord held(record);
  auto spec = record.read_spec();
  if (held.fd() < 0 || !spec || !is_lock_of(record, lock)) return 1;
  const auto cgroup = read_file("/proc/self/cgroup", kCgroupLimit);
  if (!cgroup || scope_cgroups(*cgroup, scope_unit(record)).empty()) {
    std::fputs("systemd-run has not put the run into a scope\n", stderr);
    return 1;
  }
  char word = kReady;
  if (::send(channel.get(), &word, 1, MSG_NOSIGNAL) != 1) return 1;
  if (::read(channel.get(), &word, 1) != 1 || word != kGo) return 1;
  ::unlink(record.path("launch.problem").c_str());
  channel.reset();
  ::fcntl(lock.get(), F_SETFD, FD_CLOEXEC);
  const SupervisorSignals blocked;
  show_as_supervisor(record.id());
  leave_the_link({lock.get(), held.fd()});
  ::unsetenv("INVOCATION_ID");  // of the scope; the command is no service and must not log as one
  spec->launcher = "scope";
  return supervise(std::move(held), *spec);
}

std::string scope_unit(const RunRecord& record) {
  return "yonder-" + record.id();
}

std::vector<std::string> scope_cgroups(const std::string& proc_cgroup, const std::string& unit) {
  // Each line is "number:controllers:path". The one without controllers is version 2; where both
  // versions are used it has a tree of its own, and systemd has another one.
  std::vector<std::string> places;
  for (const auto& line : split(proc_cgroup, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (path.find(unit) == std::string::npos) continue;
    if (controllers.empty()) {
      places.push_back(path);
      places.push_back("/unified" + path);
    } else if (controllers == "name=systemd") {
      places.push_back("/systemd" + path);
    }
  }
  return places;
}

std::string own_scope_cgroup(const RunRecord& record) {
  const auto own = read_file("/proc/self/cgroup", kCgroupLimit);
  for (auto& place : scope_cgroups(own ? *own : "", scope_unit(record))) {
    if (path_exists(concat("/sys/fs/cgroup", place, "/cgroup.procs"))) return std::move(place);
  }
  return "";
}

}  // namespace yonder::outpost
