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
#include "base/quote.h"
#include "base/text.h"
#include "outpost/overflow.h"
#include "outpost/place_memory.h"
#include "outpost/remove_run.h"
#include "outpost/self.h"

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

std::string read_machine_id() {
  // Hashed: machine-id(5) wants the id itself to stay on its machine. With the name of the host, as
  // containers of one image share the id.
  const auto id = read_file("/etc/machine-id", kSmallFile);
  return hash_of(concat("yonder machine\n", id ? trim(*id) : "", "\n", read_hostname()));
}

std::string read_pid_namespace() {
  std::array<char, 64> target{};
  const ssize_t n = ::readlink("/proc/self/ns/pid", target.data(), target.size());
  return n <= 0 ? "" : std::string(target.data(), static_cast<std::size_t>(n));
}

namespace {

constexpr std::array kSharedDirectories{"/var/tmp", "/tmp", "/dev/shm"};

}  // namespace

std::vector<std::string> state_candidates(const std::string& xdg_state_home,
                                          const std::string& home, const std::string& user_id) {
  std::vector<std::string> candidates;
  if (xdg_state_home.starts_with('/')) candidates.push_back(xdg_state_home + "/yonder");
  if (home.starts_with('/')) candidates.push_back(home + "/.local/state/yonder");
  for (const char* shared : kSharedDirectories) {
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

bool is_own_directory(const std::string& path, mode_t forbidden) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & forbidden) == 0;
}

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

bool is_own_place(const std::string& candidate) {
  // Below a shared directory anybody may have put something of ours in his own place.
  const bool shared = candidate.ends_with(kSharedPlace);
  const std::string parent = candidate.substr(0, candidate.find_last_of('/'));
  return (!shared || is_own_directory(parent, 022)) && is_own_directory(candidate, 022);
}

// A place that holds records stays the place, full or not: with another one, a run that exists
// would be started again or be called lost.
bool holds_runs(const std::string& candidate) {
  const std::string runs = candidate + "/runs";
  return is_own_place(candidate) && is_own_directory(runs, 077) && !names_in(runs).empty();
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
      around.state_advice = "the file system does not answer; try again";
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

// Why the remembered place cannot be used; empty when it can.
std::string absence_of(const RememberedPlace& place) {
  struct stat info {};
  const std::string runs = place.path + "/runs";
  if (::lstat(runs.c_str(), &info) != 0) return errno_error(runs).message;
  if (!is_own_place(place.path) || !is_own_directory(runs, 022)) {
    return place.path + ": is not a directory that belongs to this user alone";
  }
  const std::string id = read_place_id(place.path);
  if (id == place.id) return "";
  // The bare mount point of a home that is not mounted may hold empty directories of the same
  // names.
  if (id.empty())
    return place.path + "/id: is missing, so these are not the directories that hold them";
  return place.path + ": is another directory than the one that holds them";
}

void take_remembered(Surroundings& around, const std::vector<RememberedPlace>& places) {
  const RememberedPlace& place = places.front();
  const bool homeless = !around.home.starts_with('/') || around.home == "/";
  if (places.size() > 1 && homeless) {
    around.state_problem = printable(concat("HOME is not set, and this user keeps run records in ",
                                            place.path, " and ", places[1].path));
    around.state_advice = "set HOME";
    return;
  }
  for (const auto& one : places) {
    const std::string absence = absence_of(one);
    if (absence.empty()) continue;
    around.state_problem = printable(
        concat("run records are kept in ", one.path, ", which is not there now (", absence, ")"));
    std::vector<std::string> notes;
    for (const auto& note : one.notes) notes.push_back(shell_quote(note));
    around.state_advice =
        printable(concat("mount it; if they are gone for good: rm ", join(notes, " ")));
    return;
  }
  around.state_dir = place.path;
  around.state_id = place.id;
  // The user may have removed the rest. Read-only and full ones are used as they are.
  const bool whole =
      is_own_directory(place.path + "/runs", 077) && is_own_directory(place.path + "/keys", 077);
  if (!whole) {
    [[maybe_unused]] const bool claimed = claim_state(place.path).has_value();
  }
}

}  // namespace

void find_state(Surroundings& around) {
  around.state_dir.clear();
  around.state_problem.clear();
  around.state_advice.clear();
  around.state_id.clear();
  around.overflow.clear();
  if (const auto places = remembered_places(around); !places.empty()) {
    take_remembered(around, places);
  } else {
    choose_state(around, state_candidates(around.xdg_state_home, around.home, around.user_id));
    if (!around.state_dir.empty()) around.state_id = read_place_id(around.state_dir);
  }
  if (!around.state_dir.empty()) {
    around.overflow = overflow_candidates(around.state_dir, around.xdg_runtime_dir, around.user_id);
  }
  struct stat runs {};
  const bool found =
      !around.state_dir.empty() && ::lstat((around.state_dir + "/runs").c_str(), &runs) == 0;
  around.runs_device = found ? runs.st_dev : 0;
  around.runs_inode = found ? runs.st_ino : 0;
}

bool find_state_again(Surroundings& around) {
  if (around.shared.empty()) return false;  // it was not found by us
  struct stat runs {};
  const bool same = !around.state_dir.empty() &&
                    ::lstat((around.state_dir + "/runs").c_str(), &runs) == 0 &&
                    runs.st_dev == around.runs_device && runs.st_ino == around.runs_inode;
  if (same) return false;
  find_state(around);
  return true;
}

Result<void> check_state_is_there(const Surroundings& around) {
  if (!around.state_dir.empty() || around.state_advice.empty()) return {};
  return Error{Errc::NoPlace, around.state_problem,
               "nothing was started or changed; " + around.state_advice};
}

Surroundings look_around() {
  Surroundings around{.home = environment("HOME"),
                      .user_id = std::to_string(::geteuid()),
                      .login_shell = environment("SHELL"),
                      .boot_id = read_boot_id(),
                      .state_dir = "",
                      .state_problem = "",
                      .xdg_state_home = environment("XDG_STATE_HOME"),
                      .xdg_runtime_dir = environment("XDG_RUNTIME_DIR"),
                      .shared = {kSharedDirectories.begin(), kSharedDirectories.end()}};
  find_state(around);
  return around;
}

}  // namespace yonder::outpost
