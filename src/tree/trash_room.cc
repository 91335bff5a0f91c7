#include "tree/trash_room.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>

#include "base/text.h"
#include "tree/trash_batch.h"

namespace yonder::tree {
namespace {

// For the names, blocks and journals that come with the contents.
constexpr std::uint64_t kSpare = 1024UL * 1024;

// Those of the file system, the oldest first.
std::vector<TrashBatch> batches_on(const TrashPlace& place, int directory,
                                   const std::string& root) {
  struct stat wanted {};
  if (::fstat(directory, &wanted) != 0) return {};
  std::vector<TrashBatch> batches = all_batches(place, root);
  std::erase_if(batches, [&](const TrashBatch& batch) {
    struct stat info {};
    return ::lstat(batch.directory.c_str(), &info) != 0 || info.st_dev != wanted.st_dev;
  });
  std::reverse(batches.begin(), batches.end());
  return batches;
}

std::uint64_t bytes_of(const std::vector<TrashBatch>& batches) {
  std::uint64_t bytes = 0;
  for (const TrashBatch& batch : batches) bytes += batch.bytes;
  return bytes;
}

}  // namespace

std::optional<DiskRoom> disk_room(int fd) {
  struct statvfs disk {};
  if (::fstatvfs(fd, &disk) != 0) return std::nullopt;
  const std::uint64_t block = disk.f_frsize;
  return DiskRoom{.size = block * disk.f_blocks, .free = block * disk.f_bavail};
}

std::uint64_t trash_allowance(const DiskRoom& room, std::uint64_t held, std::uint64_t percent) {
  // Half of what is free once the rest is gone: what is removed becomes free.
  return std::min(room.size / 100 * percent, room.free / 3 + held / 3);
}

std::uint64_t missing_room(const DiskRoom& room, std::uint64_t needed, RoomAsked when) {
  const std::uint64_t wanted = needed + std::min(kSpare, room.size / 16);
  if (wanted < needed) return needed;
  if (room.free < wanted) return wanted - room.free;
  return when == RoomAsked::AfterAFailure ? wanted : 0;
}

bool make_room(const TrashPlace& place, int directory, const std::string& root,
               std::uint64_t needed, RoomAsked when) {
  const auto room = disk_room(directory);
  if (!room) return false;
  const std::uint64_t missing = missing_room(*room, needed, when);
  if (missing == 0) return false;
  const auto batches = batches_on(place, directory, root);
  if (bytes_of(batches) < missing) return false;
  std::uint64_t freed = 0;
  for (const TrashBatch& batch : batches) {
    if (freed >= missing) break;
    if (remove_batch(batch)) freed += batch.bytes;
  }
  return freed > 0;
}

Error with_trash_hint(Error error, const TrashPlace& place, int directory,
                      const std::string& root) {
  if (error.code != Errc::NoRoom) return error;
  const std::uint64_t bytes = bytes_of(batches_on(place, directory, root));
  if (bytes == 0) return error;
  error.hint = concat("free some space there, then try again; the trash holds ", human_bytes(bytes),
                      " of that disk: `yonder trash` shows it, `yonder trash --empty` removes it");
  return error;
}

EmptiedTrash remove_batches(const TrashPlace& place, const std::vector<std::string>& ids) {
  EmptiedTrash emptied;
  for (const std::string& id : ids) {
    const auto batch = find_trash(place, id);
    if (!batch && batch.error().code == Errc::NotFound) continue;
    const auto removed = batch ? remove_batch(*batch) : Result<void>(batch.error());
    if (!removed) {
      emptied.kept.push_back({id, removed.error().message});
      continue;
    }
    ++emptied.batches;
    emptied.bytes += batch->bytes;
  }
  return emptied;
}

}  // namespace yonder::tree
