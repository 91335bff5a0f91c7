#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tree/trash.h"

namespace yonder::tree {

// How much room the trash may take, and how it makes way for what needs it more.

// Of a file system, in bytes.
struct DiskRoom {
  std::uint64_t size = 0;
  std::uint64_t free = 0;  // for users
};
std::optional<DiskRoom> disk_room(int fd);

// Pure: how much the batches on one file system, which hold so much now, may hold together. A share
// of the disk, and never more than half of what is free beside them.
std::uint64_t trash_allowance(const DiskRoom& room, std::uint64_t held, std::uint64_t percent);

// Pure: how much has to be removed before `needed` bytes fit. After a write that has failed it is
// all of them when the disk claims to have room: a quota says no.
enum class RoomAsked : std::uint8_t { Ahead, AfterAFailure };
std::uint64_t missing_room(const DiskRoom& room, std::uint64_t needed, RoomAsked when);

// Removes batches on the file system of `directory`, the oldest first, until `needed` bytes are
// free. None that is in use, no more than it takes, and none at all when even all of them would not
// do. `root`: its own trash counts, too. True: something was removed.
bool make_room(const TrashPlace& place, int directory, const std::string& root,
               std::uint64_t needed, RoomAsked when);

// Says in the hint of a NoRoom how much of the disk the trash holds, and how to get it back.
Error with_trash_hint(Error error, const TrashPlace& place, int directory, const std::string& root);

struct EmptiedTrash {
  struct Kept {
    std::string batch;
    std::string reason;
  };
  std::uint64_t batches = 0;
  std::uint64_t bytes = 0;
  std::vector<Kept> kept;  // what was to go, and could not
};
// Removes these batches for good. One that is gone already counts for nothing.
EmptiedTrash remove_batches(const TrashPlace& place, const std::vector<std::string>& ids);

}  // namespace yonder::tree
