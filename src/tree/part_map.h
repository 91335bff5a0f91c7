#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "tree/hash.h"

namespace yonder::tree {

// Who works on a part file: one attempt of one sync, over all its links. A later attempt of the
// same sync takes the part over; another sync does not, as long as anybody has it open.
struct PartClaim {
  std::uint64_t sync = 0;  // random
  std::uint64_t attempt = 0;
  bool operator==(const PartClaim&) const = default;
};

// The file beside a part file that says whose it is and which segments are in it. Its lock orders
// all that is done with the part: whoever writes holds it shared, whoever takes the part over or
// gives it its final name holds it alone, and both look at the claim first. So nobody writes to a
// file that is not a part any more.
class PartMap {
 public:
  static Result<PartMap> open(int directory, const std::string& part);

  enum class Hold { Shared, Alone };
  // Gives the lock back when it is destroyed.
  class Lock {
   public:
    explicit Lock(int fd) : fd_(fd) {}
    Lock(Lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    int fd_;
  };
  // Timeout at the deadline. Where the file system has no locks there is nothing to wait for.
  Result<Lock> lock(Hold hold, const Deadline& deadline);
  bool has_locks() const { return has_locks_; }

  // Its name still leads to it.
  bool is_there() const;
  std::optional<PartClaim> claim() const;
  Result<void> set_claim(const PartClaim& claim);
  // Nothing in it, and nobody's.
  void clear();

  Result<std::map<std::uint64_t, Hash>> segments() const;
  Result<void> add(std::uint64_t index, const Hash& hash);

  // Why the part is none any more.
  enum class Gone : std::uint8_t { Finished, NoRoom, Outdated };
  // Those who have it open learn it from gone(). Takes no room on the disk.
  void remove(Gone why);
  // When there is no claim.
  Gone gone() const;

 private:
  PartMap(Fd directory, std::string name, Fd file)
      : directory_(std::move(directory)), name_(std::move(name)), file_(std::move(file)) {}

  Fd directory_;
  std::string name_;
  Fd file_;
  bool has_locks_ = true;
};

// Of the file that holds the list of the part of this name.
std::string map_name(const std::string& part);

// 0, or the errno: EWOULDBLOCK at the deadline.
int lock_file(int fd, int operation, const Deadline& deadline);

// Whether the name in the directory leads to this open file.
bool leads_to(int directory, const std::string& name, int file);

}  // namespace yonder::tree
