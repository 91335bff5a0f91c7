#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "tree/trash.h"

namespace yonder::tree {

// How batches lie on the disk; for the files of the trash only.

// The first layer of a batch is "files". What was taken under a path that was taken before
// (replaced, then deleted) goes into the next: "files.1" and so on.
inline constexpr std::size_t kTrashLayers = 64;
std::string layer_name(std::size_t layer);
inline constexpr int kDeepestTrash = 100;

// When so many bytes were taken, the collector looks before its hour is over.
inline constexpr std::uint64_t kMuchTaken = 8UL * 1024 * 1024;

// The parts of a path that check_relative() likes.
Result<std::vector<std::string>> split_relative(std::string_view relative);

Result<Fd> open_directory_at(int dir_fd, const std::string& name);

struct BatchInfo {
  std::string root;
  std::string why;
  std::int64_t created_ms = 0;
};
Result<void> write_batch_info(int batch_fd, const BatchInfo& info);
Result<BatchInfo> read_batch_info(int batch_fd);

bool is_batch_id(std::string_view name);
std::string new_batch_id(std::int64_t now_ms);

// Where a root's own trash may be: this user's, and the one of all users that there was once.
std::vector<std::string> trashes_in(const std::string& root);

// "<state_dir>/trash", and every other place that is written down there.
std::string main_trash(const TrashPlace& place);
void remember_trash(const TrashPlace& place, const std::string& directory);
std::vector<std::string> known_trashes(const TrashPlace& place);

Result<std::vector<std::string>> sorted_names_in(int dir_fd);

// Newest first: all that are written down, and those of this root's own trash. Counted further than
// a list for people is.
std::vector<TrashBatch> all_batches(const TrashPlace& place,
                                    const std::optional<std::string>& root);
// Conflict when it is in use. No mount in it is entered.
Result<void> remove_batch(const TrashBatch& batch);

// Conflict when it belongs to another user.
Result<void> check_own(int dir_fd, const std::string& path);
// Refuses to be led elsewhere by a symlink in its last component, and what others own.
Result<Fd> open_own_directory(const std::string& path);

}  // namespace yonder::tree
