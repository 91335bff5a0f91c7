#pragma once

#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace yonder::outpost {

// The one directory of a machine in which all its users tell each other which GPUs are taken. Like
// /tmp: everybody may add to it, nobody but its owner may remove a file.

// YONDER_GPU_LEASES, or the usual place. /var/tmp, because logging out clears /dev/shm of a user's
// files, and not everybody may write to /run/lock.
std::string lease_directory();

// Makes it when it is not there. Refuses what is no directory, a symlink, or closed to others.
Result<Fd> open_lease_place(const std::string& path);
// Why nothing can be made there, from what the kernel said, and what mends it.
Error lease_trouble(const std::string& path, const char* what, int problem);
// Whether the path still leads to it: it may have been cleared away, or made anew.
bool is_lease_place(const Fd& place, const std::string& path);

// One at a time: whoever reads the claims in order to change them. A look shares it. It is a lock
// on the directory itself: there is no file that somebody could remove, or make first.
enum class LeaseLock { ToLook, ToChange };
Result<Fd> lock_leases(const Fd& place, LeaseLock wanted, const Deadline& deadline);

}  // namespace yonder::outpost
