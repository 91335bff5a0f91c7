#include "outpost/machine.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/clean_text.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/overflow.h"
#include "outpost/remove_run.h"

namespace yonder::outpost {

std::string read_boot_id() {
  // Read once: no process outlives a boot, and every run's process needs it.
  static const std::string id = [] {
    auto text = read_file("/proc/sys/kernel/random/boot_id", kSmallFile);
    return text ? std::string(trim(*text)) : "";
  }();
  return id;
}

std::string describe_system() {
  utsname info{};
  if (::uname(&info) != 0) return "";
  return concat(info.sysname, " ", info.release, " ", info.machine);
}

std::string read_hostname() {
  utsname info{};
  return ::uname(&info) == 0 ? info.nodename : "";
}

std::string read_pid_namespace() {
  std::array<char, 64> target{};
  const ssize_t n = ::readlink("/proc/self/ns/pid", target.data(), target.size());
  return n <= 0 ? "" : std::string(target.data(), static_cast<std::size_t>(n));
}

std::vector<std::string> state_candidates(const std::string& xdg_state_home,
                                          const std::string& home, const std::string& user_id) {
  std::vector<std::string> candidates;
  if (xdg_state_home.starts_with('/')) candidates.push_back(xdg_state_home + "/yonder");
  if (home.starts_with('/')) candidates.push_back(home + "/.local/state/yonder");
  for (const char* shared : {"/var/tmp", "/tmp", "/dev/shm"}) {
    candidates.push_back(concat(shared, "/yonder-", user_id, "/state"));
  }
  return candidates;
}

namespace {

Result<void> try_locking(const std::string& path) {
  TRY_ASSIGN(const Fd fd, open_file(path, O_RDWR));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return errno_error("lock " + path);
  return {};
}

}  // namespace

Result<void> claim_directory(const std::string& path) {
  TRY(make_directories(path));
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return errno_error(path);
  if (!S_ISDIR(info.st_mode)) return Error{Errc::NoPlace, path + ": is not a directory", ""};
  if (info.st_uid != ::geteuid())
    return Error{Errc::NoPlace, path + ": belongs to somebody else", ""};
  // Somebody who could write here could forge a run's end.
  if ((info.st_mode & 077U) != 0 && ::chmod(path.c_str(), 0700) != 0) return errno_error(path);
  // Asking the kernel by doing: a read-only or full file system shows only then.
  const std::string trial = concat(path, "/.trial-", ::getpid());
  auto written = write_file_atomically(trial, "trial", Durability::Process);
  // Locks decide who starts a run; not every network file system has them.
  if (written) written = try_locking(trial);
  ::unlink(trial.c_str());
  return written;
}

std::string find_program(const std::string& name, const std::string& path) {
  const auto usable = [](const std::string& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(file.c_str(), X_OK) == 0;
  };
  for (const char* directory : {"/bin/", "/usr/bin/"}) {
    if (usable(directory + name)) return directory + name;
  }
  for (const auto& directory : split(path, ':')) {
    if (directory.starts_with('/') && usable(concat(directory, "/", name))) {
      return concat(directory, "/", name);
    }
  }
  return "";
}

namespace {

constexpr std::string_view kSharedPlace = "/state";  // below a directory that all users share

// A place that holds records stays the place, full or not: with another one, a run that exists
// would be started again or be called lost.
bool is_ours(const std::string& path, mode_t forbidden) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & forbidden) == 0;
}

bool holds_runs(const std::string& candidate) {
  // Below a shared directory anybody may have put something of ours in his own place.
  const bool shared = candidate.ends_with(kSharedPlace);
  const std::string parent = candidate.substr(0, candidate.find_last_of('/'));
  if ((shared && !is_ours(parent, 022)) || !is_ours(candidate, 022)) return false;
  const std::string runs = candidate + "/runs";
  return is_ours(runs, 077) && !names_in(runs).empty();
}

// The place may hold records, but cannot be looked at now: a network file system that hangs.
bool is_out_of_sight(const std::string& candidate) {
  struct stat info {};
  if (::lstat(candidate.c_str(), &info) == 0) return false;
  return errno == EIO || errno == ESTALE || errno == ETIMEDOUT || errno == EHOSTDOWN ||
         errno == EKEYEXPIRED;
}

Result<void> claim_state(const std::string& candidate) {
  // The parent of a shared place is claimed first: whoever owns it could swap what is inside.
  if (candidate.ends_with(kSharedPlace)) {
    TRY(claim_directory(candidate.substr(0, candidate.size() - kSharedPlace.size())));
  }
  TRY(claim_directory(candidate));
  TRY(claim_directory(candidate + "/runs"));
  return claim_directory(candidate + "/keys");
}

void choose_state(Surroundings& around, const std::vector<std::string>& candidates) {
  for (const auto& candidate : candidates) {
    if (holds_runs(candidate)) {
      around.state_dir = candidate;
      return;
    }
    if (is_out_of_sight(candidate)) {
      around.state_problem = printable(errno_error(candidate).message);
      return;
    }
  }
  std::vector<std::string> problems;
  for (const auto& candidate : candidates) {
    const auto claimed = claim_state(candidate);
    if (claimed) {
      around.state_dir = candidate;
      return;
    }
    problems.push_back(printable(claimed.error().message));
  }
  around.state_problem = join(problems, "; ");
}

}  // namespace

Surroundings look_around() {
  Surroundings around{.home = environment("HOME"),
                      .user_id = std::to_string(::geteuid()),
                      .login_shell = environment("SHELL"),
                      .boot_id = read_boot_id(),
                      .state_dir = "",
                      .state_problem = ""};
  choose_state(around,
               state_candidates(environment("XDG_STATE_HOME"), around.home, around.user_id));
  if (!around.state_dir.empty()) {
    around.overflow =
        overflow_candidates(around.state_dir, environment("XDG_RUNTIME_DIR"), around.user_id);
  }
  return around;
}

}  // namespace yonder::outpost
