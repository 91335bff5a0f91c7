#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <cerrno>
#include <string>

#include "base/fd.h"

namespace yonder::outpost {

// A lock on the directory of a record, which its supervisor holds from the command's begin until it
// has reaped the command: whatever a command does to the files in it, it cannot take that away.

inline Fd open_for_lock(const std::string& directory) {
  return Fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Nothing where directories cannot be locked. A process that looks has a shared lock for that
// moment.
inline Fd await_end(const std::string& directory) {
  constexpr int kLockTries = 20;
  Fd lock = open_for_lock(directory);
  for (int i = 0; lock && i < kLockTries; ++i) {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    ::poll(nullptr, 0, 1);
  }
  return {};
}

// The end may be seen now. A child that was just forked may still have a copy of the lock.
inline void let_be_seen(Fd& lock) {
  if (lock) ::flock(lock.get(), LOCK_UN);
  lock.reset();
}

// The supervisor holds it: what is recorded as the end is none.
inline bool end_is_awaited(const std::string& directory) {
  const Fd lock = open_for_lock(directory);
  return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace yonder::outpost
