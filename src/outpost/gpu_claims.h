#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "wire/messages.h"

namespace yonder::outpost {

// The claims of all users, in the lease place. A claim counts as long as its supervisor holds the
// lock of its file, which only its owner can take, or its command lives: so that of a dead holder
// is void at once, whoever may remove the file.

struct SeenClaim {
  std::uint64_t number = 0;  // first come, first served
  uid_t owner = 0;           // of the file: what the kernel says, not what the file says
  wire::GpuClaim claim;
  bool waits() const { return claim.held.empty(); }
};

// Those that count, in their order. The caller holds the lock of the place. An error when one that
// counts cannot be read: nobody can tell then what is free.
Result<std::vector<SeenClaim>> live_claims(const Fd& place);
// Removes our own files that count no more, finished or not. The lock is held to change.
void remove_dead_claims(const Fd& place);

// A claim of this process, until it or a copy of it is closed.
class OwnClaim {
 public:
  // As the last of all, or with the number that it had before, if nobody else has that now. The
  // lock of the place is held to change.
  static Result<OwnClaim> enter(const Fd& place, const wire::GpuClaim& claim,
                                std::uint64_t before = 0);

  std::uint64_t number() const { return number_; }
  const std::string& name() const { return name_; }
  const Fd& file() const { return file_; }
  // Whether others still see it: somebody may have cleared it away.
  bool is_in(const Fd& place) const;
  // The lock of the place is held to change.
  Result<void> write(const wire::GpuClaim& claim) const;
  void remove(const Fd& place);
  // Files that nobody touches are cleared away after a month.
  void touch() const;

 private:
  OwnClaim(Fd file, std::uint64_t number, std::string name)
      : file_(std::move(file)), number_(number), name_(std::move(name)) {}
  Fd file_;
  std::uint64_t number_;
  std::string name_;
};

}  // namespace yonder::outpost
