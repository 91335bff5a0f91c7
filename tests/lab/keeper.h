#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "lab/accounts.h"

namespace yonder::lab {

// Where all labs live, TMPDIR or /tmp; a lab's directory is named after the process that owns it.
std::string lab_parent();
inline constexpr const char* kLabPrefix = "yonder-lab-";

// Cleans up after a lab, however its owner ends: a process that waits for the owner's end of a pipe
// to close, then ends what still runs in the lab and removes its files. It stays outside of the
// lab's mount namespace, so what it removes can never be reached through one of the lab's mounts.
class Keeper {
 public:
  // Forks, so no other thread may run yet. `uids` is shared with the keeper.
  static Result<Keeper> start(const std::string& directory, const UidRange& uids);

  Keeper(Keeper&& other) noexcept
      : alive_(std::move(other.alive_)), pid_(std::exchange(other.pid_, -1)) {}
  Keeper& operator=(Keeper&&) = delete;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  // Returns when everything is gone.
  ~Keeper();

 private:
  Keeper(Fd alive, pid_t pid) : alive_(std::move(alive)), pid_(pid) {}
  Fd alive_;
  pid_t pid_;
};

// Removes labs of dead owners that even their keepers did not survive, after a day.
void remove_stale_labs();

}  // namespace yonder::lab
