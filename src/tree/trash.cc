#include "tree/trash.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "tree/file_path.h"
#include "tree/mounts.h"
#include "tree/remove_tree.h"
#include "tree/rename.h"
#include "tree/scan.h"
#include "tree/trash_batch.h"
#include "tree/trash_room.h"

namespace yonder::tree {
namespace {

bool exists_at(int dir_fd, const std::string& name) {
  struct stat info {};
  return ::fstatat(dir_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

bool is_no_directory(int dir_fd, const std::string& name) {
  struct stat info {};
  return ::fstatat(dir_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode);
}

bool is_same_file(int one_dir, const std::string& one, int other_dir, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return ::fstatat(one_dir, one.c_str(), &first, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstatat(other_dir, other.c_str(), &second, AT_SYMLINK_NOFOLLOW) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool cannot_exchange(int error_number) {
  return error_number == EINVAL || error_number == ENOSYS || error_number == ENOTSUP;
}

// A directory that even its owner may not write into cannot get another parent: it has to name it.
int rename_closed(int dir_fd, const std::string& name, int to_fd, const std::string& to) {
  const auto directory = open_directory_at(dir_fd, name);
  struct stat info {};
  if (!directory || ::fstat(directory->get(), &info) != 0) return EACCES;
  if ((info.st_mode & 0200U) != 0 || ::fchmod(directory->get(), info.st_mode | 0200U) != 0) {
    return EACCES;
  }
  const int failed = rename_new(dir_fd, name, to_fd, to);
  [[maybe_unused]] const int back = ::fchmod(directory->get(), info.st_mode);
  return failed;
}

Error cannot_keep(const std::string& path, int error_number) {
  const std::string relative = printable(path);
  Error error = path_error("move to the trash:", path, error_number);
  if (error_number == EXDEV) {
    error.message = concat(relative, " is on another file system than the trash");
    error.hint = "work on that file system's own directory instead";
  }
  if (error_number == EINVAL) error.message = concat(relative, " has the trash in it");
  return error;
}

// A rename would carry the mount into the trash with the directories above it.
Result<void> check_no_mount(int dir_fd, const std::string& name, const std::string& relative) {
  const auto mount = mount_within(dir_fd, name);
  if (!mount) return {};
  return Error{
      Errc::Conflict,
      concat(printable(relative), " stays: a file system is mounted on ", printable(*mount)),
      "unmount it first, or name only what lies beside it"};
}

}  // namespace

std::string aside_name() {
  return concat(kAsidePrefix, random_letters(12));
}

Trash::Trash(TrashPlace place, int root_fd, std::string root_path, std::string why)
    : place_(std::move(place)),
      root_fd_(root_fd),
      root_path_(std::move(root_path)),
      why_(std::move(why)) {}

Trash::~Trash() {
  drop_empty_batch();
}

void Trash::drop_empty_batch() {
  if (taken_ != 0 || id_.empty()) return;
  // Whatever stays is collected with all the others.
  [[maybe_unused]] const auto removed = remove_tree(trash_.get(), id_);
  directory_.reset();
  id_.clear();
}

Result<void> Trash::open_batch() {
  if (!id_.empty()) return {};
  const std::string main = main_trash(place_);
  struct stat here {};
  struct stat there {};
  if (!in_root_) {
    in_root_ = place_.state_dir.empty() || !make_directories(main) ||
               ::stat(main.c_str(), &here) != 0 || ::fstat(root_fd_, &there) != 0 ||
               here.st_dev != there.st_dev;
  }
  if (!in_root_) {
    TRY_ASSIGN(trash_, open_own_directory(main));
    return make_batch();
  }
  TRY(open_trash_in_root());
  return make_batch();
}

// Whoever may write to a shared directory may have taken the name before us: then it is another
// one, which is written down.
Result<void> Trash::open_trash_in_root() {
  const std::string root = root_path_ == "/" ? "" : root_path_;
  const std::string usual = own_trash_name();
  std::vector<std::string> names{usual};
  for (const std::string& known : known_trashes(place_)) {
    const std::string before = concat(root, "/", usual, "-");
    if (known.starts_with(before)) names.push_back(known.substr(root.size() + 1));
  }
  names.push_back(concat(usual, "-", random_letters(8)));
  for (const std::string& name : names) {
    if (::mkdirat(root_fd_, name.c_str(), 0700) != 0 && errno != EEXIST) {
      return errno_error(concat("mkdir ", printable(root), "/", name));
    }
    auto opened = open_directory_at(root_fd_, name);
    if (!opened || !check_own(opened->get(), name)) continue;
    trash_ = *std::move(opened);
    remember_trash(place_, concat(root, "/", name));
    return {};
  }
  return Error{Errc::Conflict, concat("there can be no trash in ", printable(root_path_)), ""};
}

Result<void> Trash::make_batch() {
  const std::int64_t now = wall_clock_ms();
  for (int tries = 0; id_.empty(); ++tries) {
    const std::string id = new_batch_id(now);
    if (::mkdirat(trash_.get(), id.c_str(), 0700) == 0) {
      id_ = id;
    } else if (errno != EEXIST || tries == 10) {
      return errno_error("make a trash batch");
    }
  }
  const auto fill = [&]() -> Result<void> {
    TRY_ASSIGN(directory_, open_directory_at(trash_.get(), id_));
    // Where there are no locks, its youth protects it.
    [[maybe_unused]] const int locked = ::flock(directory_.get(), LOCK_SH | LOCK_NB);
    return write_batch_info(directory_.get(), {root_path_, why_, now});
  };
  auto filled = fill();
  if (!filled) drop_empty_batch();
  return filled;
}

// A directory of the batch on the way to an entry. It gets the mode of the one it stands for, so
// that putting it back brings that back too.
Result<Fd> Trash::open_scaffold(int parent, const std::string& name, const std::string& relative) {
  const bool made = ::mkdirat(parent, name.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return errno_error("mkdir " + printable(name));
  TRY_ASSIGN(Fd fd, open_directory_at(parent, name));
  struct stat info {};
  if (made && !relative.empty() &&
      ::fstatat(root_fd_, relative.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISDIR(info.st_mode)) {
    [[maybe_unused]] const int done = ::fchmod(fd.get(), (info.st_mode & 0777U) | 0700U);
  }
  return fd;
}

// Nothing when the path, or one above it, was taken in this layer before.
Result<std::optional<Trash::Slot>> Trash::slot_in(std::size_t layer,
                                                  const std::vector<std::string>& parts) {
  TRY_ASSIGN(Fd at, open_scaffold(directory_.get(), layer_name(layer), ""));
  std::string relative;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    relative = relative.empty() ? parts[i] : concat(relative, "/", parts[i]);
    if (whole_.contains({layer, relative})) return std::optional<Slot>();
    if (is_no_directory(at.get(), parts[i])) return std::optional<Slot>();
    TRY_ASSIGN(at, open_scaffold(at.get(), parts[i], relative));
  }
  if (exists_at(at.get(), parts.back())) return std::optional<Slot>();
  return std::optional<Slot>(Slot{std::move(at), parts.back(), layer});
}

Result<Trash::Slot> Trash::slot_for(const std::string& relative) {
  TRY_ASSIGN(const auto parts, split_relative(relative));
  TRY(open_batch());
  for (std::size_t layer = 0; layer < kTrashLayers; ++layer) {
    TRY_ASSIGN(auto slot, slot_in(layer, parts));
    if (slot) return *std::move(slot);
  }
  return Error{Errc::Conflict,
               concat(printable(relative), " was moved to the trash too often at once"), ""};
}

void Trash::note_taken(const Slot& slot, const std::string& relative) {
  struct stat info {};
  if (::fstatat(slot.directory.get(), slot.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    const bool whole = S_ISDIR(info.st_mode);
    if (whole) whole_.insert({slot.layer, relative});
    // What is in a directory is counted by the collector, which is to look at once.
    taken_bytes_ += whole ? kMuchTaken : static_cast<std::uint64_t>(info.st_blocks) * 512U;
  }
  ++taken_;
  batch_ = id_;
}

Result<void> Trash::move_in(int dir_fd, const std::string& name, const std::string& relative) {
  TRY_ASSIGN(Slot slot, slot_for(relative));
  int failed = rename_new(dir_fd, name, slot.directory.get(), slot.name);
  // Equal device numbers do not promise that a rename works (bind mounts, overlays).
  if (failed == EXDEV && !in_root_ && taken_ == 0) {
    drop_empty_batch();
    in_root_ = true;
    TRY_ASSIGN(slot, slot_for(relative));
    failed = rename_new(dir_fd, name, slot.directory.get(), slot.name);
  }
  if (failed == EACCES) failed = rename_closed(dir_fd, name, slot.directory.get(), slot.name);
  if (failed != 0) return cannot_keep(relative, failed);
  note_taken(slot, relative);
  return {};
}

bool Trash::make_room_ahead(std::uint64_t needed) {
  return make_room(place_, root_fd_, root_path_, needed, RoomAsked::Ahead);
}

bool Trash::make_room_after_failure(std::uint64_t needed) {
  return make_room(place_, root_fd_, root_path_, needed, RoomAsked::AfterAFailure);
}

Result<void> Trash::take(int dir_fd, const std::string& name, const std::string& relative) {
  if (!exists_at(dir_fd, name)) return path_error("move to the trash:", relative, errno);
  if (!is_no_directory(dir_fd, name)) TRY(check_no_mount(dir_fd, name, relative));
  return move_in(dir_fd, name, relative);
}

// A second name for what is there, in the batch. Nothing: it can have none.
Result<std::optional<Trash::Slot>> Trash::link_in(const Change& change) {
  const auto link = [&](const Slot& slot) {
    return ::linkat(change.dir_fd, change.name.c_str(), slot.directory.get(), slot.name.c_str(),
                    0) == 0;
  };
  TRY_ASSIGN(Slot slot, slot_for(change.relative));
  if (link(slot)) return std::optional(std::move(slot));
  // Equal device numbers do not promise that it works (bind mounts, overlays).
  if (errno == EXDEV && !in_root_ && taken_ == 0) {
    drop_empty_batch();
    in_root_ = true;
    TRY_ASSIGN(slot, slot_for(change.relative));
    if (link(slot)) return std::optional(std::move(slot));
  }
  return std::optional<Slot>();
}

// What was there is in the batch already, whatever happens.
Result<void> Trash::replace_linked(const Change& change, const Slot& slot) {
  const int dir_fd = change.dir_fd;
  int failed = rename_exchange(dir_fd, change.temporary, dir_fd, change.name);
  const bool exchanged = failed == 0;
  if (cannot_exchange(failed)) {
    failed =
        ::renameat(dir_fd, change.temporary.c_str(), dir_fd, change.name.c_str()) == 0 ? 0 : errno;
  }
  if (failed != 0) {
    ::unlinkat(slot.directory.get(), slot.name.c_str(), 0);
    return path_error("replace", change.relative, failed);
  }
  note_taken(slot, change.relative);
  if (!exchanged) return {};
  if (is_same_file(dir_fd, change.temporary, slot.directory.get(), slot.name)) {
    ::unlinkat(dir_fd, change.temporary.c_str(), 0);
    return {};
  }
  // Somebody has put another one there in this moment: it is kept, too.
  const std::string aside = aside_name();
  if (const int lost = rename_new(dir_fd, change.temporary, dir_fd, aside); lost != 0) {
    rename_exchange(dir_fd, change.temporary, dir_fd, change.name);
    return path_error("replace", change.relative, lost);
  }
  return move_in_or_back(change, aside);
}

// What was there lies beside its place, under a name that nobody clears away.
Result<void> Trash::move_in_or_back(const Change& change, const std::string& aside) {
  auto moved = move_in(change.dir_fd, aside, change.relative);
  if (moved) return {};
  Error error = std::move(moved).error();
  if (rename_exchange(change.dir_fd, aside, change.dir_fd, change.name) != 0) {
    error.hint = concat("what was there is now called ", aside, ", in the same directory");
    return error;
  }
  rename_new(change.dir_fd, aside, change.dir_fd, change.temporary);
  return error;
}

// For what cannot have two names, as directories. False: this file system cannot.
Result<bool> Trash::replace_by_exchange(const Change& change) {
  const int dir_fd = change.dir_fd;
  const std::string aside = aside_name();
  int failed = rename_new(dir_fd, change.temporary, dir_fd, aside);
  if (failed != 0) return path_error("replace", change.relative, failed);
  failed = rename_exchange(dir_fd, aside, dir_fd, change.name);
  if (failed != 0) {
    rename_new(dir_fd, aside, dir_fd, change.temporary);
    if (cannot_exchange(failed)) return false;
    return path_error("replace", change.relative, failed);
  }
  TRY(move_in_or_back(change, aside));
  return true;
}

Result<void> Trash::replace(int dir_fd, const std::string& temporary, const std::string& name,
                            const std::string& relative) {
  const int fresh = rename_new(dir_fd, temporary, dir_fd, name);
  if (fresh == 0) return {};
  if (fresh != EEXIST) return path_error("rename to", relative, fresh);
  if (!is_no_directory(dir_fd, name)) TRY(check_no_mount(dir_fd, name, relative));
  // Whatever can go wrong with the batch goes wrong before the name is touched.
  const Change change{dir_fd, temporary, name, relative};
  TRY_ASSIGN(const auto linked, link_in(change));
  if (linked) return replace_linked(change, *linked);
  TRY_ASSIGN(const bool exchanged, replace_by_exchange(change));
  if (exchanged) return {};
  TRY(move_in(dir_fd, name, relative));
  if (::renameat(dir_fd, temporary.c_str(), dir_fd, name.c_str()) != 0) {
    const int why = errno;
    Error error = path_error("replace", relative, why);
    error.hint = concat("what was there is in the trash batch ", batch_);
    return error;
  }
  return {};
}

}  // namespace yonder::tree
