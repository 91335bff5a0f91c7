#include "outpost/machine.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

constexpr std::uint64_t kSmallFile = 4096;

}  // namespace

std::string read_boot_id() {
  auto text = read_file("/proc/sys/kernel/random/boot_id", kSmallFile);
  return text ? std::string(trim(*text)) : "";
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

Surroundings look_around() {
  Surroundings around{.home = environment("HOME"),
                      .user_id = std::to_string(::geteuid()),
                      .login_shell = environment("SHELL"),
                      .boot_id = read_boot_id(),
                      .state_dir = "",
                      .state_problem = ""};
  std::vector<std::string> problems;
  for (const auto& candidate :
       state_candidates(environment("XDG_STATE_HOME"), around.home, around.user_id)) {
    // The parent of a shared place is claimed first: whoever owns it could swap what is inside.
    auto claimed = candidate.ends_with("/state")
                       ? claim_directory(candidate.substr(0, candidate.size() - 6))
                       : Result<void>();
    if (claimed) claimed = claim_directory(candidate);
    if (claimed) claimed = claim_directory(candidate + "/runs");
    if (claimed) claimed = claim_directory(candidate + "/keys");
    if (claimed) {
      around.state_dir = candidate;
      return around;
    }
    problems.push_back(printable(claimed.error().message));
  }
  around.state_problem = join(problems, "; ");
  return around;
}

}  // namespace yonder::outpost
