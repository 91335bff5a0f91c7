#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "tree/trash.h"

namespace yonder::tree {

// One name in one directory, about to be changed.
struct FilePlace {
  std::string path;    // absolute, without links on the way
  std::string linked;  // the link that led here; empty when there was none
  std::string name;
  Fd directory;
};

enum class Parents { MustExist, AreMade };
enum class LastLink { IsFollowed, IsMeant };
// Where a path leads. A link at its end that leads nowhere leads to what could be made there.
Result<FilePlace> find_place(const std::string& absolute, LastLink link, Parents parents);

// Makes the directory, as `mkdir` does it: for whom the user's mask allows; with `parents` those
// above it too. Says how many were made.
Result<std::uint64_t> make_directories_for(const std::string& path, bool parents);

// What is there now, links not followed; nothing when nothing is.
Result<std::optional<struct stat>> look_at_place(const FilePlace& place);

// Held while something is looked at and then changed, by everybody who does so with these tools.
// Where a file system has no locks, there is none.
Result<Fd> lock_directory(const FilePlace& place, Duration patience = std::chrono::seconds(10));

// A name for a file that will get its real name when it is whole.
std::string temporary_name();

// The trash for a change in one directory.
class PlaceTrash {
 public:
  PlaceTrash(const TrashPlace& place, const FilePlace& where, std::string why);

  Result<void> take(const FilePlace& where);
  Result<void> replace(const FilePlace& where, const std::string& temporary);
  const std::string& batch() const { return trash_->batch(); }
  std::uint64_t bytes() const { return trash_->taken_bytes(); }
  // Does it; and once more when there was no room for it, and old batches could make way.
  Result<void> with_room(std::uint64_t needed, const std::function<Result<void>()>& work);

 private:
  std::string relative(const FilePlace& where) const;

  TrashPlace place_;
  std::string root_path_;
  Fd root_;
  std::optional<Trash> trash_;
};

}  // namespace yonder::tree
