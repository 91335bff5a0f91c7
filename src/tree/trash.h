#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace yonder::tree {

// Where replaced and deleted files go: one dated batch per operation, on the same file system, so
// that taking is one rename. docs/formats.md describes what lies there.

// "<state_dir>/trash" where it is on the root's file system, else "<root>/.yonder-trash-<uid>":
// each user has one of his own, since a directory may be shared and a trash must not.
struct TrashPlace {
  std::string state_dir;
};
std::string own_trash_name();
// Of any user, and without a user, as all of them were called once.
bool is_trash_name(std::string_view name);

// A name for what belongs to somebody and must make way for a moment; see kAsidePrefix.
std::string aside_name();

class Trash {
 public:
  // Costs nothing until something is taken. `root_path` is absolute; `root_fd` is that directory,
  // open, and outlives this. `why`: one word, such as "sync", "delete" or "edit".
  Trash(TrashPlace place, int root_fd, std::string root_path, std::string why);
  Trash(const Trash&) = delete;
  Trash& operator=(const Trash&) = delete;
  ~Trash();

  // Moves the entry `name` of the directory `dir_fd`, whose path below the root is `relative`, into
  // the batch. Symlinks are moved, not followed; directories move whole, but one that holds a mount
  // is a Conflict. After an error the entry is where it was.
  Result<void> take(int dir_fd, const std::string& name, const std::string& relative);

  // `temporary` of the same directory takes the name of `name`, and what was there is kept as
  // `relative`. The name is never missing where the file system can exchange or link; after an
  // error it holds what it held, or the error says where that is. What was there never lies under
  // the name `temporary` alone. When nothing is there, this is a plain rename.
  Result<void> replace(int dir_fd, const std::string& temporary, const std::string& name,
                       const std::string& relative);

  // An id such as "20261116T081502-k3fa"; empty when nothing was taken.
  const std::string& batch() const { return batch_; }
  std::uint64_t taken() const { return taken_; }
  // What that takes on the disk; of a directory that was taken whole, at least.
  std::uint64_t taken_bytes() const { return taken_bytes_; }

  // Old batches go until so many bytes fit on the root's file system; see tree/trash_room.h. True:
  // something was removed, and what has failed for want of room is worth another try.
  bool make_room_ahead(std::uint64_t needed);
  bool make_room_after_failure(std::uint64_t needed);

 private:
  struct Slot {  // where an entry may go: a directory of the batch, and a free name in it
    Fd directory;
    std::string name;
    std::size_t layer = 0;
  };

  Result<void> open_batch();
  Result<void> open_trash_in_root();
  Result<void> make_batch();
  void drop_empty_batch();
  Result<Slot> slot_for(const std::string& relative);
  Result<std::optional<Slot>> slot_in(std::size_t layer, const std::vector<std::string>& parts);
  Result<Fd> open_scaffold(int parent, const std::string& name, const std::string& relative);
  Result<void> move_in(int dir_fd, const std::string& name, const std::string& relative);
  void note_taken(const Slot& slot, const std::string& relative);
  struct Change {  // `temporary` is to take the name
    int dir_fd;
    const std::string& temporary;
    const std::string& name;
    const std::string& relative;
  };
  Result<std::optional<Slot>> link_in(const Change& change);
  Result<void> replace_linked(const Change& change, const Slot& slot);
  Result<bool> replace_by_exchange(const Change& change);
  Result<void> move_in_or_back(const Change& change, const std::string& aside);

  TrashPlace place_;
  int root_fd_;
  std::string root_path_;
  std::string why_;

  Fd trash_;
  Fd directory_;    // the batch's; its lock keeps the collector away
  std::string id_;  // of that directory, even before anything was taken
  std::string batch_;
  std::uint64_t taken_ = 0;
  std::uint64_t taken_bytes_ = 0;
  bool in_root_ = false;
  // Directories that were taken whole: nothing else may be put into them.
  std::set<std::pair<std::size_t, std::string>> whole_;
};

struct TrashBatch {
  std::string id;
  std::string root;
  std::string why;
  std::int64_t created_ms = 0;
  std::uint64_t entries = 0;  // files, links and empty directories
  std::uint64_t bytes = 0;
  bool counted = true;    // false: there is more than was counted
  std::string directory;  // of the batch
};

// Newest first; all batches, or those of one root.
Result<std::vector<TrashBatch>> list_trash(const TrashPlace& place,
                                           const std::optional<std::string>& root = std::nullopt);
// By its id or a beginning of it that no other batch has; InvalidArgument names those that fit.
Result<TrashBatch> find_trash(const TrashPlace& place, const std::string& id);

// What a batch holds, as paths below its root, sorted; at most `limit`.
Result<std::vector<std::string>> list_batch(const TrashBatch& batch, std::size_t limit);

struct RestoreReport {
  struct Failed {
    std::string path;
    std::string reason;
  };
  std::uint64_t restored = 0;
  std::uint64_t replaced = 0;  // what stood there went into the batch below
  std::string batch;           // undoes the restore; empty when nothing was replaced
  std::vector<Failed> failed;
};
// Puts things back where they were. Directories that exist are filled, not replaced. Without paths:
// everything. A batch that has become empty is removed.
Result<RestoreReport> restore_trash(const TrashPlace& place, const TrashBatch& batch,
                                    const std::vector<std::string>& paths);

struct TrashLimits {
  std::size_t batches_per_root = 20;
  std::int64_t max_age_ms = 14LL * 24 * 3600 * 1000;
  std::uint64_t percent_of_disk = 10;  // and half of what is free: see trash_allowance()
  // Younger ones go only when they hold too much, and the newest of a disk not even then.
  std::int64_t always_kept_ms = 3600LL * 1000;
};
// Removes what is too old or too much, the oldest first. Batches in use stay.
void collect_trash(const TrashPlace& place, const TrashLimits& limits = {},
                   const std::optional<std::string>& root = std::nullopt);
// The same, once an hour at most, or when much was taken since: for whoever has just taken so many
// bytes. `root`: its own trash, if it has one, counts even where nobody could write down that it
// exists.
void collect_trash_sometimes(const TrashPlace& place,
                             const std::optional<std::string>& root = std::nullopt,
                             std::uint64_t taken_bytes = 0);

}  // namespace yonder::tree
