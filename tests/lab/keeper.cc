#include "lab/keeper.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "lab/processes.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

namespace fs = std::filesystem;

void close_all_but(int a, int b) {
  const auto first = static_cast<unsigned>(std::min(a, b));
  const auto second = static_cast<unsigned>(std::max(a, b));
  if (first > 3) ::close_range(3, first - 1, 0);
  if (second > first + 1) ::close_range(first + 1, second - 1, 0);
  ::close_range(second + 1, ~0U, 0);
}

// Somebody may be reading the test's output to its end, so the keeper must not hold it open.
void leave_the_test(int alive, int lock) {
  ::setsid();
  ::prctl(PR_SET_NAME, "yonder-lab-keep");
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
  close_all_but(alive, lock);
  if (::chdir("/") != 0) return;
}

void end_processes(const std::string& directory, pid_t owner) {
  eventually([&] {
    auto pids = processes_in_lab(directory);
    std::erase(pids, owner);  // it waits for us
    for (const pid_t pid : pids) ::kill(pid, SIGKILL);
    return pids.empty();
  });
}

// Programs keep their own things in shared places under the user's id: yonder-7001, tmux-7001.
void remove_leftovers(uid_t first) {
  for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
      struct stat info {};
      if (::lstat(entry.path().c_str(), &info) != 0) continue;
      if (info.st_uid < first || info.st_uid >= first + UidRange::kSize) continue;
      if (!entry.path().filename().native().ends_with(concat("-", info.st_uid))) continue;
      fs::remove_all(entry.path(), error);
    }
  }
}

[[noreturn]] void keep(const std::string& directory, uid_t first_uid, const Fd& alive) {
  const pid_t owner = ::getppid();
  char byte = 0;
  while (true) {
    const auto n = read_some(alive, &byte, 1);
    if (!n || *n == 0) break;
  }
  end_processes(directory, owner);
  std::error_code ignored;
  fs::remove_all(directory, ignored);
  remove_leftovers(first_uid);
  ::_exit(0);
}

}  // namespace

std::string lab_parent() {
  const char* wanted = std::getenv("TMPDIR");
  return wanted == nullptr || *wanted == '\0' ? "/tmp" : wanted;
}

Result<Keeper> Keeper::start(const std::string& directory, const UidRange& uids) {
  TRY_ASSIGN(Pipe alive, make_pipe());
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("fork");
  if (pid == 0) {
    leave_the_test(alive.read.get(), uids.lock.get());
    keep(directory, uids.first, alive.read);
  }
  return Keeper(std::move(alive.write), pid);
}

Keeper::~Keeper() {
  if (pid_ < 0) return;
  alive_.reset();
  ::waitpid(pid_, nullptr, 0);
}

void remove_stale_labs() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(lab_parent(), error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kLabPrefix) || entry.is_symlink(error)) continue;
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) != 0 || info.st_uid != 0) continue;
    const auto age = std::chrono::system_clock::now() -
                     std::chrono::system_clock::from_time_t(info.st_mtim.tv_sec);
    const pid_t owner = std::atoi(name.c_str() + std::string_view(kLabPrefix).size());
    if (age < std::chrono::hours(24) || owner <= 0 || ::kill(owner, 0) == 0) continue;
    end_processes(entry.path(), 0);
    fs::remove_all(entry.path(), error);
  }
}

}  // namespace yonder::lab
