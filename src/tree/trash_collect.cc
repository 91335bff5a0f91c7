#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "tree/remove_tree.h"
#include "tree/trash.h"
#include "tree/trash_batch.h"

namespace yonder::tree {
namespace {

constexpr std::int64_t kCollectEveryMs = 3600LL * 1000;

std::string parent_of(const TrashBatch& batch) {
  return batch.directory.substr(0, batch.directory.find_last_of('/'));
}

// How much the batches of one trash may take.
std::uint64_t allowance(const std::string& trash, const TrashLimits& limits) {
  struct statvfs disk {};
  if (::statvfs(trash.c_str(), &disk) != 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(disk.f_blocks) * disk.f_frsize / 100 * limits.percent_of_disk;
}

void remove_unused(const TrashBatch& batch) {
  const auto trash = open_own_directory(parent_of(batch));
  if (!trash) return;
  const auto directory = open_directory_at(trash->get(), batch.id);
  if (!directory) return;
  if (::flock(directory->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return;
  [[maybe_unused]] const auto removed = remove_tree(trash->get(), batch.id);
}

// Newest first.
void collect(const std::vector<TrashBatch>& batches, const TrashLimits& limits) {
  const std::int64_t now = wall_clock_ms();
  std::map<std::string, std::size_t> of_root;
  std::map<std::string, std::uint64_t> in_trash;
  for (const TrashBatch& batch : batches) {
    const std::string trash = parent_of(batch);
    const std::uint64_t bytes = in_trash[trash] += batch.bytes;
    const std::size_t number = ++of_root[batch.root];
    const std::int64_t age = now - batch.created_ms;
    if (age < limits.always_kept_ms) continue;
    if (number > limits.batches_per_root || age > limits.max_age_ms ||
        bytes > allowance(trash, limits)) {
      remove_unused(batch);
    }
  }
}

}  // namespace

void collect_trash(const TrashPlace& place, const TrashLimits& limits,
                   const std::optional<std::string>& root) {
  std::vector<TrashBatch> batches;
  if (!place.state_dir.empty()) {
    if (auto all = list_trash(place)) batches = *std::move(all);
  }
  if (root) {
    // What is known already is not counted twice.
    const auto known = [&](const TrashBatch& one) {
      return std::any_of(batches.begin(), batches.end(),
                         [&](const TrashBatch& other) { return other.directory == one.directory; });
    };
    auto own = list_trash(place, root);
    for (TrashBatch& batch : own ? *own : std::vector<TrashBatch>()) {
      if (!known(batch)) batches.push_back(std::move(batch));
    }
  }
  collect(batches, limits);
}

void collect_trash_sometimes(const TrashPlace& place, const std::optional<std::string>& root) {
  std::string where = main_trash(place);
  if (place.state_dir.empty()) {
    if (!root) return;
    where = concat(*root == "/" ? "" : *root, "/", kTrashName);
    if (!open_own_directory(where)) return;
  }
  const std::string marker = where + "/collected";
  struct stat info {};
  const bool known = ::lstat(marker.c_str(), &info) == 0;
  if (known && std::abs(wall_clock_ms() - info.st_mtim.tv_sec * 1000) < kCollectEveryMs) return;
  if (!make_directories(where)) return;
  const auto touched = open_file(marker, O_WRONLY | O_CREAT | O_NOFOLLOW);
  if (!touched || ::futimens(touched->get(), nullptr) != 0) return;
  collect_trash(place, {}, root);
}

}  // namespace yonder::tree
