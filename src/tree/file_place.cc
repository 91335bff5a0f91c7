#include "tree/file_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/id.h"
#include "base/lock_holder.h"
#include "base/text.h"
#include "base/user_name.h"
#include "tree/file_path.h"
#include "tree/scan.h"
#include "tree/trash_room.h"

namespace yonder::tree {
namespace {

constexpr int kMaxLinks = 40;
constexpr auto kLockPause = std::chrono::milliseconds(5);

// Nothing when it is no link.
Result<std::optional<std::string>> read_link(const Fd& directory, const std::string& name) {
  std::array<char, 4096> target{};
  const ssize_t n = ::readlinkat(directory.get(), name.c_str(), target.data(), target.size());
  if (n >= 0) return std::optional(std::string(target.data(), static_cast<std::size_t>(n)));
  if (errno == EINVAL || errno == ENOENT) return std::optional<std::string>();
  return path_error("look at", name, errno);
}

// In a directory like /tmp, a link that another user has made leads where that user likes. The
// kernel does not follow it for us (fs.protected_symlinks); nor do we, who follow by hand.
Result<void> check_link_owner(const Fd& directory, const std::string& name,
                              const std::string& path) {
  constexpr mode_t kSharedByAll = S_ISVTX | S_IWOTH;
  struct stat place {};
  struct stat link {};
  if (::fstat(directory.get(), &place) != 0 ||
      ::fstatat(directory.get(), name.c_str(), &link, AT_SYMLINK_NOFOLLOW) != 0) {
    return path_error("look at", path, errno);
  }
  const bool shared = (place.st_mode & kSharedByAll) == kSharedByAll;
  if (!shared || link.st_uid == ::geteuid() || link.st_uid == place.st_uid) return {};
  return Error{Errc::Denied,
               concat(printable(path), " is a symbolic link of ", user_name(link.st_uid),
                      " in a directory where all users may make one, and is not followed"),
               "nothing was changed; name the file that is meant, or remove the link"};
}

std::string joined(const std::string& directory, const std::string& name) {
  return concat(directory == "/" ? "" : directory, "/", name);
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? real.get() : path;
}

// The highest directory above that is on the same file system and ours as well: where a trash is in
// nobody's way. `path` itself when there is none.
std::string highest_own(const std::string& path) {
  struct stat start {};
  if (::stat(path.c_str(), &start) != 0) return path;
  std::string best = path;
  for (std::string at = path; at != "/";) {
    const std::size_t slash = at.find_last_of('/');
    at = slash == 0 ? "/" : at.substr(0, slash);
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0 || info.st_dev != start.st_dev) break;
    if (info.st_uid != ::geteuid() || ::access(at.c_str(), W_OK) != 0) break;
    best = at;
  }
  return best;
}

}  // namespace

Result<std::uint64_t> make_directories_for(const std::string& path, bool parents) {
  if (path == "/") return std::uint64_t{0};
  if (::mkdir(path.c_str(), 0777) == 0) return std::uint64_t{1};
  const int why = errno;
  if (why == EEXIST) return std::uint64_t{0};  // whether it is a directory shows when it is used
  if (why != ENOENT || !parents) return path_error("make directory", path, why);
  TRY_ASSIGN(const PathParts parts, name_and_directory(path));
  TRY_ASSIGN(const std::uint64_t above, make_directories_for(parts.directory, true));
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    return path_error("make directory", path, errno);
  }
  return above + 1;
}

Result<FilePlace> find_place(const std::string& absolute, LastLink link, Parents parents) {
  FilePlace place{.path = absolute};
  for (int links = 0; links < kMaxLinks; ++links) {
    TRY_ASSIGN(PathParts parts, name_and_directory(place.path));
    if (parents == Parents::AreMade) TRY(make_directories_for(parts.directory, true));
    TRY_ASSIGN(place.directory, open_directory(parts.directory));
    parts.directory = real_path(parts.directory);
    place.name = std::move(parts.name);
    place.path = joined(parts.directory, place.name);
    if (link == LastLink::IsMeant) return place;
    TRY_ASSIGN(const auto target, read_link(place.directory, place.name));
    if (!target) return place;
    TRY(check_link_owner(place.directory, place.name, place.path));
    if (place.linked.empty()) place.linked = absolute;
    TRY_ASSIGN(
        place.path,
        absolute_path(target->starts_with('/') ? *target : joined(parts.directory, *target), "/"));
  }
  return path_error("follow", absolute, ELOOP);
}

Result<std::optional<struct stat>> look_at_place(const FilePlace& place) {
  struct stat info {};
  if (::fstatat(place.directory.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return std::optional(info);
  }
  if (errno == ENOENT) return std::optional<struct stat>();
  return path_error("look at", place.path, errno);
}

Result<Fd> lock_directory(const FilePlace& place, Duration patience) {
  // A description of its own: the lock goes when it is closed.
  Fd lock(::openat(place.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return path_error("open the directory of", place.path, errno);
  const Deadline give_up = Deadline::after(patience);
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return lock;
    if (give_up.expired()) {
      return Error{Errc::Conflict,
                   concat("the directory of ", printable(place.path), " is locked by ",
                          describe_flock_holder(lock)),
                   "nothing was changed; try again when that process has ended, or has given up "
                   "its lock (flock)"};
    }
    std::this_thread::sleep_for(kLockPause);
  }
  return lock;
}

std::string temporary_name() {
  return concat(kTemporaryPrefix, random_letters(12));
}

PlaceTrash::PlaceTrash(const TrashPlace& place, const FilePlace& where, std::string why)
    : place_(place) {
  const std::size_t slash = where.path.find_last_of('/');
  root_path_ = slash == 0 ? "/" : where.path.substr(0, slash);
  struct stat state {};
  struct stat here {};
  const bool same = !place.state_dir.empty() && make_directories(place.state_dir) &&
                    ::stat(place.state_dir.c_str(), &state) == 0 &&
                    ::fstat(where.directory.get(), &here) == 0 && state.st_dev == here.st_dev;
  if (!same) root_path_ = highest_own(root_path_);
  root_ = Fd(::open(root_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  trash_.emplace(place_, root_.get(), root_path_, std::move(why));
}

std::string PlaceTrash::relative(const FilePlace& where) const {
  return where.path.substr(root_path_ == "/" ? 1 : root_path_.size() + 1);
}

Result<void> PlaceTrash::with_room(std::uint64_t needed,
                                   const std::function<Result<void>()>& work) {
  // Before a half-written file takes what is free: then no more is removed than it takes.
  if (needed > 0) trash_->make_room_ahead(needed);
  auto done = work();
  if (done || done.error().code != Errc::NoRoom) return done;
  if (trash_->make_room_after_failure(needed)) done = work();
  if (done) return done;
  return with_trash_hint(std::move(done).error(), place_, root_.get(), root_path_);
}

Result<void> PlaceTrash::take(const FilePlace& where) {
  return with_room(
      0, [&] { return trash_->take(where.directory.get(), where.name, relative(where)); });
}

Result<void> PlaceTrash::replace(const FilePlace& where, const std::string& temporary) {
  return trash_->replace(where.directory.get(), temporary, where.name, relative(where));
}

}  // namespace yonder::tree
