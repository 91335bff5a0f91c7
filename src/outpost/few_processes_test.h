#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

namespace yonder::testing {

// Runs it in a process that may have only so many, itself and its descendants together. The
// directory is given to the user that it runs as. False where the limit cannot be had.
inline bool with_few_processes(rlim_t most, const std::string& directory,
                               const std::function<void()>& body) {
  // Another user each time: what an earlier call has started may still be ending.
  static uid_t user = 61234 + static_cast<uid_t>(::getpid() % 1000) * 100;
  ++user;
  constexpr int kNoLimit = 77;
  const bool root = ::geteuid() == 0;
  if (root) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (::lchown(entry.path().c_str(), user, user) != 0) return false;
    }
    if (::chown(directory.c_str(), user, user) != 0) return false;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    // The kernel does not limit root; others are counted anew in a namespace of their own.
    const bool changed =
        root ? ::setgid(user) == 0 && ::setuid(user) == 0 : ::unshare(CLONE_NEWUSER) == 0;
    const rlimit none{.rlim_cur = 1, .rlim_max = most};
    if (!changed || ::setrlimit(RLIMIT_NPROC, &none) != 0) ::_exit(kNoLimit);
    const pid_t refused = ::fork();
    if (refused == 0) ::_exit(0);
    const rlimit few{.rlim_cur = most, .rlim_max = most};
    if (refused > 0 || ::setrlimit(RLIMIT_NPROC, &few) != 0) ::_exit(kNoLimit);
    const auto guarded = [&]() noexcept { body(); };
    guarded();
    ::_exit(0);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) != kNoLimit;
}

}  // namespace yonder::testing
