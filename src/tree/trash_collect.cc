#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/lock_holder.h"
#include "base/text.h"
#include "tree/remove_tree.h"
#include "tree/trash.h"
#include "tree/trash_batch.h"
#include "tree/trash_room.h"

namespace yonder::tree {
namespace {

constexpr std::int64_t kCollectEveryMs = 3600LL * 1000;

std::string parent_of(const TrashBatch& batch) {
  return batch.directory.substr(0, batch.directory.find_last_of('/'));
}

// What the batches of one file system may hold, and what those hold that were looked at.
struct Share {
  std::uint64_t allowed = UINT64_MAX;
  std::uint64_t held = 0;
};

std::optional<dev_t> device_of(const TrashBatch& batch) {
  struct stat info {};
  if (::lstat(batch.directory.c_str(), &info) != 0) return std::nullopt;
  return info.st_dev;
}

std::map<dev_t, Share> shares_of(const std::vector<TrashBatch>& batches,
                                 const TrashLimits& limits) {
  std::map<dev_t, Share> shares;
  std::map<dev_t, std::string> where;
  for (const TrashBatch& batch : batches) {
    const auto device = device_of(batch);
    if (!device) continue;
    shares[*device].held += batch.bytes;
    where[*device] = parent_of(batch);
  }
  for (auto& [device, share] : shares) {
    const auto trash = open_own_directory(where[device]);
    const auto room = trash ? disk_room(trash->get()) : std::nullopt;
    if (room) share.allowed = trash_allowance(*room, share.held, limits.percent_of_disk);
    share.held = 0;
  }
  return shares;
}

// Newest first.
void collect(const std::vector<TrashBatch>& batches, const TrashLimits& limits) {
  const std::int64_t now = wall_clock_ms();
  std::map<std::string, std::size_t> of_root;
  auto shares = shares_of(batches, limits);
  for (const TrashBatch& batch : batches) {
    const auto device = device_of(batch);
    if (!device) continue;
    Share& share = shares[*device];
    const bool young = now - batch.created_ms < limits.always_kept_ms;
    // Somebody was just told that it is there.
    const bool newest = share.held == 0;
    const bool too_many = ++of_root[batch.root] > limits.batches_per_root;
    const bool too_old = now - batch.created_ms > limits.max_age_ms;
    if (!young && (too_many || too_old)) {
      [[maybe_unused]] const auto removed = remove_batch(batch);
      continue;
    }
    share.held += std::max<std::uint64_t>(batch.bytes, 1);
    if (share.held > share.allowed && !(young && newest)) {
      [[maybe_unused]] const auto removed = remove_batch(batch);
    }
  }
}

// Adds to what was taken since the last collection, in the directory of the trash. True: it is
// much.
bool much_was_taken(const std::string& trash, std::uint64_t bytes) {
  const auto file = open_file(trash + "/taken", O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!file) return bytes >= kMuchTaken;
  std::array<char, 32> text{};
  const ssize_t n = ::pread(file->get(), text.data(), text.size(), 0);
  std::uint64_t before = 0;
  std::from_chars(text.data(), text.data() + std::max<ssize_t>(n, 0), before);
  const bool much = before > kMuchTaken || before + bytes >= kMuchTaken;
  // Whoever adds at the same moment may be forgotten: the next hour comes anyhow.
  const std::string now = std::to_string(much ? 0 : before + bytes);
  [[maybe_unused]] const bool noted =
      ::ftruncate(file->get(), 0) == 0 && ::pwrite(file->get(), now.data(), now.size(), 0) >= 0;
  return much;
}

}  // namespace

Result<void> remove_batch(const TrashBatch& batch) {
  TRY_ASSIGN(const Fd trash, open_own_directory(parent_of(batch)));
  TRY_ASSIGN(const Fd directory, open_directory_at(trash.get(), batch.id));
  if (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Error{
        Errc::Conflict,
        concat("the trash batch ", batch.id, " is in use by ", describe_flock_holder(directory)),
        "wait until the operation that fills it has ended"};
  }
  return remove_tree(trash.get(), batch.id);
}

void collect_trash(const TrashPlace& place, const TrashLimits& limits,
                   const std::optional<std::string>& root) {
  collect(all_batches(place, root), limits);
}

void collect_trash_sometimes(const TrashPlace& place, const std::optional<std::string>& root,
                             std::uint64_t taken_bytes) {
  std::string where = main_trash(place);
  if (place.state_dir.empty()) {
    if (!root) return;
    where = trashes_in(*root).front();
    if (!open_own_directory(where)) return;
  }
  const std::string marker = where + "/collected";
  struct stat info {};
  const bool known = ::lstat(marker.c_str(), &info) == 0;
  const bool lately =
      known && std::abs(wall_clock_ms() - info.st_mtim.tv_sec * 1000) < kCollectEveryMs;
  if (!make_directories(where)) return;
  if (!much_was_taken(where, taken_bytes) && lately) return;
  const auto touched = open_file(marker, O_WRONLY | O_CREAT | O_NOFOLLOW);
  if (!touched || ::futimens(touched->get(), nullptr) != 0) return;
  collect_trash(place, {}, root);
}

}  // namespace yonder::tree
