#include "tree/apply.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/clean_text.h"
#include "base/id.h"
#include "base/text.h"
#include "tree/directory_names.h"
#include "tree/extended_attributes.h"
#include "tree/late_errors.h"
#include "tree/leftovers.h"
#include "tree/part.h"
#include "tree/rename.h"
#include "tree/scan.h"

namespace yonder::tree {
namespace {

constexpr std::int64_t kNanoseconds = 1000000000;
// The disk is looked at before so much is written to it.
constexpr std::uint64_t kWorthALook = 4UL * 1024 * 1024;
// Smaller ones never come in parts.
constexpr std::uint64_t kMayHaveParts = 1024UL * 1024;

std::array<timespec, 2> times_for(std::int64_t mtime_ns) {
  std::int64_t seconds = mtime_ns / kNanoseconds;
  std::int64_t rest = mtime_ns % kNanoseconds;
  if (rest < 0) {
    rest += kNanoseconds;
    --seconds;
  }
  std::array<timespec, 2> times{};
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = static_cast<time_t>(seconds);
  times[1].tv_nsec = static_cast<long>(rest);
  return times;
}

Error failed(std::string_view path) {
  return errno_error(printable(path));
}

// A directory that its owner may not write to, as its source is: the plan gives it that mode
// again at the end.
void make_writable(int directory) {
  struct stat info {};
  if (::geteuid() == 0 || ::fstat(directory, &info) != 0) return;
  if (info.st_uid != ::geteuid() || (info.st_mode & 0300U) == 0300U) return;
  [[maybe_unused]] const int done = ::fchmod(directory, (info.st_mode & 07777U) | 0300U);
}

// What its owner has closed to himself.
bool make_readable(int directory, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISLNK(info.st_mode) || info.st_uid != ::geteuid()) return false;
  const mode_t wanted = (info.st_mode & 07777U) | (S_ISDIR(info.st_mode) ? 0700U : 0400U);
  return ::fchmodat(directory, name.c_str(), wanted, AT_SYMLINK_NOFOLLOW) == 0;
}

Error changed_meanwhile(std::string_view path, std::string_view how) {
  return Error{Errc::Conflict, concat("'", printable(path), "' ", how),
               "it was left as it is; sync again to see what it is now"};
}

// Whether it is that one, or was that one before it was opened for the work.
bool is_opened(mode_t now, mode_t before) {
  constexpr mode_t kOpened = 0700;
  return (now & ~kOpened) == (before & ~kOpened) && (now & before & kOpened) == (before & kOpened);
}

Result<void> check_mode(mode_t now, const ExpectedMode& expected, std::string_view path) {
  if (!expected || (now & 01777U) == *expected) return {};
  return changed_meanwhile(path, "got another mode while the sync ran");
}

Result<void> check(int directory, const std::string& name, const std::string& path,
                   const Seen& expected, const ExpectedMode& mode) {
  struct stat info {};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return failed(path);
    if (!expected.exists) return {};
    return changed_meanwhile(path, "was removed over there while the sync ran");
  }
  if (!expected.exists) return changed_meanwhile(path, "has appeared while the sync ran");
  const bool same =
      type_of(info) == expected.type &&
      (expected.type != Type::File || (static_cast<std::uint64_t>(info.st_size) == expected.size &&
                                       mtime_of(info) == expected.mtime_ns)) &&
      (expected.type != Type::Link || mtime_of(info) == expected.mtime_ns);
  if (!same) return changed_meanwhile(path, "was changed while the sync ran");
  return check_mode(info.st_mode, mode, path);
}

}  // namespace

Result<void> check_seen(int directory, const std::string& name, const FileHead& head) {
  return check(directory, name, head.path, head.expected, head.expected_mode);
}

Result<void> check_seen(int directory, const std::string& name, const std::string& path,
                        const Seen& expected) {
  return check(directory, name, path, expected, std::nullopt);
}

Applier::Applier(int root, const std::string& root_path, const TrashPlace& place,
                 ApplyOptions options)
    : directories_(root),
      trash_(place, root, root_path, "sync"),
      options_(options),
      temporary_stem_(concat(kTemporaryPrefix, random_letters(8), "-")) {}

std::string Applier::new_temporary() {
  return concat(temporary_stem_, ++temporaries_);
}

Result<int> Applier::directory_of(std::string_view path, bool make) {
  TRY(check_relative(path));
  const std::string_view parent = split_path(path).parent;
  TRY_ASSIGN(const int directory,
             make ? directories_.open_or_make(parent) : directories_.open(parent));
  const bool new_to_us = std::exchange(made_writable_, directories_.opened()) != made_writable_;
  if (!parent.empty() && new_to_us) make_writable(directory);
  return directory;
}

// Mostly that of the file before: what it costs to find out about a directory is paid once.
Result<std::shared_ptr<const IncomingPlace>> Applier::place_of(std::string_view path) {
  TRY_ASSIGN(const int directory, directory_of(path, true));
  const std::string_view parent = split_path(path).parent;
  if (!place_ || place_->parent != parent || place_->opened != directories_.opened()) {
    TRY_ASSIGN(Fd own, duplicate(directory));
    const bool late = tells_errors_late(own.get());
    place_ = std::make_shared<IncomingPlace>(
        IncomingPlace{std::string(parent), directories_.opened(), std::move(own), late});
  }
  return place_;
}

Result<void> Applier::make_directory(const std::string& path, const Seen& expected) {
  TRY_ASSIGN(const int directory, directory_of(path, true));
  const std::string name(split_path(path).name);
  if (expected.exists && expected.type != Type::Directory) {
    TRY(check_seen(directory, name, path, expected));
    TRY(trash_.take(directory, name, path));
  }
  TRY(directories_.open_or_make(path));
  return {};
}

void Applier::expect_bytes(std::uint64_t count) {
  expected_ += std::min(count, UINT64_MAX - expected_);
  if (expected_ < kWorthALook) return;
  trash_.make_room_ahead(expected_);
  expected_ = 0;
}

Result<IncomingFile> Applier::begin_file(FileHead head) {
  expect_bytes(head.size);
  TRY_ASSIGN(auto place, place_of(head.path));
  std::string temporary = new_temporary();
  const auto create = [&] {
    return Fd(::openat(place->directory.get(), temporary.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  };
  Fd file = create();
  if (!file && errno == ENOSPC && make_room(head.size)) file = create();
  if (!file) return failed(head.path);
  lock_temporary(file.get(), place->tells_errors_late);
  return IncomingFile(*this, std::move(head), std::move(place), std::move(temporary),
                      std::move(file));
}

Result<void> Applier::set_mode(int fd, mode_t mode, const std::string& path) {
  if (::fchmod(fd, mode) == 0) return {};
  const int error = errno;
  const bool has_none =
      error == EPERM || error == ENOTSUP || error == EOPNOTSUPP || error == ENOSYS;
  if (!has_none) return errno_error(printable(path), error);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || (info.st_mode & 07777U) != mode) lost_modes_ = true;
  return {};
}

// Before the mode, which may forbid it.
void Applier::give_attributes(int fd, const UserAttributes& attributes) {
  const auto give = [&](const UserAttribute& one) {
    return ::fsetxattr(fd, one.name.c_str(), one.value.data(), one.value.size(), 0) == 0;
  };
  bool all = true;
  for (const UserAttribute& one : attributes) {
    bool given = give(one);
    struct stat info {};
    if (!given && errno == EACCES && ::fstat(fd, &info) == 0) {
      // The owner may not write to it, and gets its mode in a moment.
      given = ::fchmod(fd, (info.st_mode & 07777U) | 0200U) == 0 && give(one);
    }
    all = all && given;
  }
  if (!all) ++lost_attributes_;
}

Result<void> Applier::seal(const Fd& file, const FileHead& head, bool late_errors) {
  const auto times = times_for(head.mtime_ns);
  give_attributes(file.get(), head.attributes);
  TRY(set_mode(file.get(), head.mode & 01777U, head.path));
  if (::futimens(file.get(), times.data()) != 0) return failed(head.path);
  const bool flush = options_.flush_to_disk || late_errors;
  if (flush && ::fsync(file.get()) != 0) return failed(head.path);
  return {};
}

// The access control list of the file that it replaces. The mode of a file that has one means
// something else without it: where the list cannot be kept, no user may do more than before.
mode_t Applier::keep_access(int fd, const FileHead& head, int directory) {
  const bool replaces = head.expected.exists && head.expected.type == Type::File;
  if (!replaces) return head.mode;
  const std::string name(split_path(head.path).name);
  const auto list = attribute_value(directory, name, std::string(kAccessList));
  if (!list) {
    ::fremovexattr(fd, kAccessList.data());  // the directory may have given it one
    return head.mode;
  }
  if (::fsetxattr(fd, kAccessList.data(), list->data(), list->size(), 0) == 0) return head.mode;
  ++lost_attributes_;
  return head.mode == head.expected_mode ? mode_without_list(head.mode, *list) : head.mode;
}

Result<void> Applier::seal_and_close(Fd& file, const FileHead& head, int directory,
                                     bool late_errors) {
  FileHead sealed = head;
  sealed.mode = keep_access(file.get(), head, directory);
  TRY(seal(file, sealed, late_errors));
  const int error = late_errors ? close_and_tell(file) : 0;
  file.reset();
  if (error != 0) return errno_error(printable(head.path), error);
  return {};
}

Result<void> Applier::place(int directory, const std::string& temporary, const FileHead& head) {
  auto placed = place_once(directory, temporary, head);
  if (placed || placed.error().code != Errc::NoRoom || !make_room(0)) return placed;
  return place_once(directory, temporary, head);
}

Result<void> Applier::place_once(int directory, const std::string& temporary,
                                 const FileHead& head) {
  const std::string name(split_path(head.path).name);
  if (!head.expected.exists) {
    const int error = rename_new(directory, temporary, directory, name);
    if (error == EEXIST) {
      return changed_meanwhile(head.path,
                               "has appeared while the sync ran, or differs from "
                               "another name only in upper and lower case");
    }
    if (error != 0) return errno_error(printable(head.path), error);
    return {};
  }
  TRY(check_seen(directory, name, head));
  if (!head.aside.empty()) return place_beside(directory, temporary, head);
  if (options_.keep == Keep::InTrash || head.expected.type == Type::Directory) {
    return trash_.replace(directory, temporary, name, head.path);
  }
  if (::renameat(directory, temporary.c_str(), directory, name.c_str()) != 0) {
    return failed(head.path);
  }
  return {};
}

// Whatever goes wrong, the old one has its name.
Result<void> Applier::place_beside(int directory, const std::string& temporary,
                                   const FileHead& head) {
  TRY(check_relative(head.aside));
  const std::string name(split_path(head.path).name);
  const std::string aside(split_path(head.aside).name);
  int error = rename_new(directory, name, directory, aside);
  if (error != 0) return errno_error(printable(head.aside), error);
  error = rename_new(directory, temporary, directory, name);
  if (error == 0) return {};
  rename_new(directory, aside, directory, name);
  return errno_error(printable(head.path), error);
}

Result<void> Applier::make_link(const FileHead& head, const std::string& target) {
  TRY_ASSIGN(const int directory, directory_of(head.path, true));
  const std::string temporary = new_temporary();
  if (::symlinkat(target.c_str(), directory, temporary.c_str()) != 0) return failed(head.path);
  const auto times = times_for(head.mtime_ns);
  // Where links have no times of their own, the link matters more.
  ::utimensat(directory, temporary.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
  auto placed = place(directory, temporary, head);
  if (!placed) ::unlinkat(directory, temporary.c_str(), 0);
  return placed;
}

Result<void> Applier::make_twin(const FileHead& head, const std::string& existing) {
  TRY(check_relative(existing));
  TRY_ASSIGN(const int from_directory, directory_of(existing, false));
  TRY_ASSIGN(const Fd from, duplicate(from_directory));
  TRY_ASSIGN(const int directory, directory_of(head.path, true));
  const std::string temporary = new_temporary();
  const std::string name(split_path(existing).name);
  if (::linkat(from.get(), name.c_str(), directory, temporary.c_str(), 0) != 0) {
    return failed(head.path);
  }
  auto placed = place(directory, temporary, head);
  // A rename between two names of one file does nothing at all, and leaves both.
  ::unlinkat(directory, temporary.c_str(), 0);
  return placed;
}

// Parts in it are of a file that is no more: no sync of this source goes on with them.
Result<bool> Applier::remove_filled(int directory, const std::string& name,
                                    const std::string& path) {
  const Fd inner(
      ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner) return failed(path);
  TRY_ASSIGN(const auto names, names_in(inner.get()));
  const bool only_ours = std::all_of(names.begin(), names.end(), [](const std::string& one) {
    return one.starts_with(kTemporaryPrefix);
  });
  if (!only_ours) return false;
  for (const std::string& one : names) {
    remove_old_part(inner.get(), one, 0);
    remove_abandoned(inner.get(), one, kAbandoned);
  }
  if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return failed(path);
  TRY_ASSIGN(const auto left, names_in(inner.get()));
  if (left.empty()) return false;
  const bool aside = left.front().starts_with(kAsidePrefix);
  return Error{Errc::Conflict,
               concat("'", printable(path), "' stays: ", printable(left.front()), " in it ",
                      aside ? "is a file that an interrupted operation has put aside"
                            : "is being written by another sync, or was so a moment ago"),
               aside ? "move it to where it belongs, or remove it" : "sync again in a minute"};
}

Result<bool> Applier::remove(const std::string& path, const Seen& expected) {
  TRY_ASSIGN(const int directory, directory_of(path, false));
  const std::string name(split_path(path).name);
  TRY(check_seen(directory, name, path, expected));
  if (expected.type == Type::Directory) {
    if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) return true;
    if (errno == ENOTEMPTY || errno == EEXIST) return remove_filled(directory, name, path);
    return failed(path);
  }
  if (options_.keep == Keep::InTrash) {
    TRY(trash_.take(directory, name, path));
  } else if (::unlinkat(directory, name.c_str(), 0) != 0) {
    return failed(path);
  }
  return true;
}

// One that was closed to its owner gets its mode, too.
Result<void> Applier::open_up(const std::string& path) {
  TRY_ASSIGN(const int parent, directories_.open(split_path(path).parent));
  const std::string name(split_path(path).name);
  if (::faccessat(parent, name.c_str(), R_OK | X_OK, AT_EACCESS) == 0 || errno != EACCES) return {};
  make_readable(parent, name);
  return {};
}

Result<void> Applier::finish_directory(const std::string& path, const DirectoryMode& mode,
                                       std::int64_t mtime_ns, const UserAttributes& attributes) {
  if (!path.empty()) TRY(check_relative(path));  // empty: the root
  if (!path.empty()) TRY(open_up(path));
  TRY_ASSIGN(const int directory, directories_.open(path));
  made_writable_ = 0;
  const auto times = times_for(mtime_ns);
  struct stat info {};
  if (::fstat(directory, &info) != 0) return failed(path);
  // Its own set-id bits are of its place: they hand on the group of those who share it.
  const mode_t wanted = (mode.mode & 01777U) | (info.st_mode & 06000U);
  const mode_t now = info.st_mode & 07777U;
  const bool as_seen = !mode.expected || is_opened(now & 01777U, *mode.expected);
  if (!as_seen) TRY(check_mode(now, wanted & 01777U, path.empty() ? "." : path));
  give_attributes(directory, attributes);
  const bool sets = !mode.keeps || (is_opened(now, wanted) && now != wanted);
  if (sets) TRY(set_mode(directory, wanted, path));
  if (::futimens(directory, times.data()) == 0) return {};
  // One of another user, who lets us write to it, has its own time, too.
  if (mode.keeps && errno == EPERM) return {};
  return failed(path);
}

Result<void> Applier::set_attributes(const FileHead& head) {
  TRY_ASSIGN(const int directory, directory_of(head.path, false));
  const std::string name(split_path(head.path).name);
  TRY(check_seen(directory, name, head));
  const auto open = [&] {
    return Fd(::openat(directory, name.c_str(),
                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  };
  Fd file = open();
  if (!file && errno == EACCES && make_readable(directory, name)) file = open();
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return failed(head.path);
  if (info.st_nlink > 1) return set_apart(file, head, static_cast<std::uint64_t>(info.st_size));
  return seal(file, head, tells_errors_late(file.get()));
}

// It has other names, perhaps outside of the tree, and those stay as they are.
Result<void> Applier::set_apart(const Fd& file, FileHead head, std::uint64_t size) {
  head.size = size;
  TRY_ASSIGN(IncomingFile copy, begin_file(std::move(head)));
  Hasher hasher;
  std::vector<char> buffer(std::min<std::uint64_t>(size, 256UL * 1024) + 1);
  while (true) {
    TRY_ASSIGN(const std::size_t n, read_some(file, buffer.data(), buffer.size()));
    if (n == 0) break;
    hasher.add({buffer.data(), n});
    TRY(copy.write({buffer.data(), n}));
  }
  return copy.finish(hasher.result());
}

IncomingFile::IncomingFile(Applier& applier, FileHead head,
                           std::shared_ptr<const IncomingPlace> place, std::string temporary,
                           Fd file)
    : applier_(applier),
      head_(std::move(head)),
      place_(std::move(place)),
      temporary_(std::move(temporary)),
      file_(std::move(file)) {}

IncomingFile::IncomingFile(IncomingFile&& other) noexcept
    : applier_(other.applier_),
      head_(std::move(other.head_)),
      place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)),
      hasher_(std::move(other.hasher_)),
      written_(other.written_) {}

IncomingFile::~IncomingFile() {
  if (!temporary_.empty()) ::unlinkat(place_->directory.get(), temporary_.c_str(), 0);
}

Result<void> IncomingFile::write(std::string_view bytes) {
  if (bytes.size() > head_.size - written_) {
    return changed_meanwhile(head_.path, "is longer than was announced");
  }
  hasher_.add(bytes);
  const std::uint64_t start = std::exchange(written_, written_ + bytes.size());
  auto done = write_all(file_, bytes);
  if (!done && done.error().code == Errc::NoRoom) {
    // A part of them may have found room.
    const off_t at = ::lseek(file_.get(), 0, SEEK_CUR);
    const std::uint64_t there = static_cast<std::uint64_t>(at) - start;
    const bool known = at >= 0 && there <= bytes.size();
    if (known && applier_.make_room(head_.size - start - there)) {
      done = write_all(file_, bytes.substr(there));
    }
  }
  if (!done) return std::move(done).error().context(printable(head_.path));
  return {};
}

Result<void> IncomingFile::hole(std::uint64_t count) {
  if (count > head_.size - written_) {
    return changed_meanwhile(head_.path, "is longer than was announced");
  }
  written_ += count;
  if (::ftruncate(file_.get(), static_cast<off_t>(written_)) != 0 ||
      ::lseek(file_.get(), static_cast<off_t>(written_), SEEK_SET) < 0) {
    return failed(head_.path);
  }
  hasher_.add_zeros(count);  // which takes long for absurd sizes: those have failed by now
  return {};
}

Result<void> IncomingFile::finish(const Hash& hash) {
  if (written_ != head_.size || hasher_.result() != hash) {
    return Error{Errc::Protocol,
                 concat("'", printable(head_.path), "' did not arrive as it was sent"),
                 "it was left as it was; sync again"};
  }
  TRY(applier_.seal_and_close(file_, head_, place_->directory.get(), place_->tells_errors_late));
  TRY(applier_.place(place_->directory.get(), temporary_, head_));
  temporary_.clear();
  if (head_.size >= kMayHaveParts) remove_part(place_->directory.get(), head_);
  return {};
}

}  // namespace yonder::tree
