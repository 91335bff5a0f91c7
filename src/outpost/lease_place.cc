#include "outpost/lease_place.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "base/clean_text.h"
#include "base/environment.h"
#include "base/lock_holder.h"
#include "base/quote.h"
#include "base/text.h"
#include "base/user_name.h"

namespace yonder::outpost {
namespace {

constexpr mode_t kShared = 01777;
constexpr auto kMakersMoment = std::chrono::milliseconds(200);
constexpr int kPauseMs = 3;

Error unusable(const std::string& path, const std::string& why, const std::string& mend) {
  return Error{Errc::NoPlace,
               concat("GPU leases are kept in ", printable(path), ", which cannot be used: ", why),
               concat(mend,
                      "all users of the machine need one directory with the modes of /tmp (1777); "
                      "YONDER_GPU_LEASES names another")};
}

// Something else stands at the path.
Error no_directory(const std::string& path, mode_t mode) {
  if (!S_ISLNK(mode)) {
    return unusable(path, "it is not a directory", concat("remove ", shell_quote(path), "; "));
  }
  std::array<char, 4096> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return unusable(
      path,
      concat("it is a symbolic link to ",
             printable({target.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))}),
             ", and any user could have made that"),
      concat("remove the link: rm ", shell_quote(path), "; "));
}

std::string octal(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777U));
  return text.data();
}

Error not_shared(const std::string& path, const struct stat& info) {
  const std::string owner = user_name(info.st_uid);
  const bool open = (info.st_mode & 0777U) == 0777U;
  return unusable(
      path,
      concat("it belongs to ", owner, " and has mode ", octal(info.st_mode), ", so ",
             open ? "everybody could remove the leases of others" : "it is not open to everybody"),
      concat(owner, info.st_uid == 0 ? "" : " or root", " can mend it: chmod 1777 ",
             shell_quote(path), "; "));
}

// What makes the directory shared, when it is ours to make it so.
Result<void> check_shared(const Fd& place, const std::string& path) {
  const Deadline deadline = Deadline::after(kMakersMoment);
  while (true) {
    struct stat info {};
    if (::fstat(place.get(), &info) != 0) return errno_error(path);
    if ((info.st_mode & kShared) == kShared) return {};
    if (info.st_uid == ::geteuid() && ::fchmod(place.get(), kShared) == 0) return {};
    // Whoever makes it needs a moment between making and opening it.
    if (deadline.expired()) return not_shared(path, info);
    ::poll(nullptr, 0, kPauseMs);
  }
}

}  // namespace

Error lease_trouble(const std::string& path, const char* what, int problem) {
  if (problem == ENOSPC) {
    return unusable(path, "its file system is full", "make room on it (df -h and df -i tell); ");
  }
  if (problem == EDQUOT) {
    return unusable(path, concat("the quota of ", user_name(::geteuid()), " there is used up"),
                    "remove files of that user from it; ");
  }
  if (problem == EROFS) {
    return unusable(path, "its file system is read-only", "mount it for writing; ");
  }
  return unusable(path, errno_error(what, problem).message, "");
}

std::string lease_directory() {
  const std::string elsewhere = environment("YONDER_GPU_LEASES");
  return elsewhere.starts_with('/') ? elsewhere : "/var/tmp/yonder-gpus";
}

Result<Fd> open_lease_place(const std::string& path) {
  const bool made = ::mkdir(path.c_str(), kShared) == 0;
  if (!made && errno != EEXIST) return lease_trouble(path, "mkdir", errno);
  const Deadline deadline = Deadline::after(kMakersMoment);
  while (true) {
    Fd place(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (place) {
      TRY(check_shared(place, path));
      return place;
    }
    const int problem = errno;
    struct stat info {};
    const bool known = ::lstat(path.c_str(), &info) == 0;
    if (known && !S_ISDIR(info.st_mode)) return no_directory(path, info.st_mode);
    if (known && problem == EACCES && deadline.expired()) return not_shared(path, info);
    if (problem != EACCES || deadline.expired()) return lease_trouble(path, "open", problem);
    ::poll(nullptr, 0, kPauseMs);
  }
}

bool is_lease_place(const Fd& place, const std::string& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(place.get(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

Result<Fd> lock_leases(const Fd& place, LeaseLock wanted, const Deadline& deadline) {
  // A descriptor of its own: the lock ends with it.
  Fd lock(::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return errno_error("the lock of the GPU leases");
  const int how = (wanted == LeaseLock::ToChange ? LOCK_EX : LOCK_SH) | LOCK_NB;
  while (::flock(lock.get(), how) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error("the lock of the GPU leases");
    if (deadline.expired()) {
      return Error{Errc::Conflict,
                   concat("the GPU leases are locked by ", describe_flock_holder(lock)),
                   "everybody needs that lock for a moment only; try again, and if it stays, that "
                   "process must end"};
    }
    ::poll(nullptr, 0, kPauseMs);
  }
  return lock;
}

}  // namespace yonder::outpost
