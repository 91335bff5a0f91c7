#include "outpost/lease_place.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/clean_text.h"
#include "base/text.h"
#include "outpost/user_name.h"

namespace yonder::outpost {
namespace {

constexpr mode_t kShared = 01777;
constexpr mode_t kReadable = 0644;
constexpr const char* kLockName = "lock";
constexpr auto kMakersMoment = std::chrono::milliseconds(200);
constexpr int kPauseMs = 3;

Error unusable(const std::string& path, const std::string& why) {
  return Error{Errc::NoPlace,
               concat("GPU leases are kept in ", printable(path), ", which cannot be used: ", why),
               "all users of the machine need one directory with the modes of /tmp (1777); "
               "YONDER_GPU_LEASES names another"};
}

// What makes the directory shared, when it is ours to make it so.
Result<void> check_shared(const Fd& place, const std::string& path) {
  const Deadline deadline = Deadline::after(kMakersMoment);
  while (true) {
    struct stat info {};
    if (::fstat(place.get(), &info) != 0) return errno_error(path);
    if ((info.st_mode & 07777U) == kShared) return {};
    if (info.st_uid == ::geteuid() && ::fchmod(place.get(), kShared) == 0) return {};
    // Whoever makes it needs a moment between making and opening it.
    if (deadline.expired()) {
      return unusable(
          path, concat("it belongs to ", user_name(info.st_uid), " and is not open to everybody"));
    }
    ::poll(nullptr, 0, kPauseMs);
  }
}

// Everybody can open it: locking needs no more. It is never created over somebody else's, which the
// kernel may forbid in such a directory.
Result<Fd> open_lock(const Fd& place) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Fd fd(::openat(place.get(), kLockName, kFlags));
  if (fd) return fd;
  if (errno != ENOENT) return errno_error("the lock of the GPU leases");
  fd = Fd(::openat(place.get(), kLockName, kFlags | O_CREAT | O_EXCL, kReadable));
  if (fd) {
    ::fchmod(fd.get(), kReadable);
    return fd;
  }
  return errno_error("the lock of the GPU leases");
}

// The file may have been removed between opening and locking it: then others lock another one.
bool is_current(const Fd& place, const Fd& lock) {
  struct stat held {};
  struct stat named {};
  return ::fstat(lock.get(), &held) == 0 && S_ISREG(held.st_mode) &&
         ::fstatat(place.get(), kLockName, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace

std::string lease_directory() {
  const char* elsewhere = std::getenv("YONDER_GPU_LEASES");
  return elsewhere != nullptr && *elsewhere == '/' ? elsewhere : "/var/tmp/yonder-gpus";
}

Result<Fd> open_lease_place(const std::string& path) {
  const bool made = ::mkdir(path.c_str(), kShared) == 0;
  if (!made && errno != EEXIST) return unusable(path, errno_error("mkdir").message);
  const Deadline deadline = Deadline::after(kMakersMoment);
  while (true) {
    Fd place(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (place) {
      TRY(check_shared(place, path));
      return place;
    }
    if (errno != EACCES || deadline.expired()) return unusable(path, errno_error("open").message);
    ::poll(nullptr, 0, kPauseMs);
  }
}

Result<Fd> lock_leases(const Fd& place, LeaseLock wanted, const Deadline& deadline) {
  const int how = (wanted == LeaseLock::ToChange ? LOCK_EX : LOCK_SH) | LOCK_NB;
  while (true) {
    auto lock = open_lock(place);
    // Somebody else may just have made it, and not yet opened it to us.
    const bool a_moment = !lock && (errno == EEXIST || errno == EACCES);
    if (!lock && !a_moment) return lock;
    if (lock && ::flock(lock->get(), how) == 0 && is_current(place, *lock)) return lock;
    if (deadline.expired()) {
      if (!lock) return lock;
      return Error{Errc::Conflict, "somebody holds the lock of the GPU leases", "try again"};
    }
    ::poll(nullptr, 0, kPauseMs);
  }
}

}  // namespace yonder::outpost
