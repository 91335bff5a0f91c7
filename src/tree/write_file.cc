#include "tree/write_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/clean_text.h"
#include "base/text.h"
#include "tree/file_path.h"
#include "tree/file_replacement.h"
#include "tree/read_part.h"

namespace yonder::tree {
namespace {

// A write lease is given only while no other process has the file open, and makes those that open
// it wait: a file that is shortened under it loses no bytes of others.
class WriteLease {
 public:
  explicit WriteLease(const Fd& file) : file_(file.get()) {
    ::fcntl(file_, F_SETSIG, SIGURG);  // what asks for the lease back; SIGIO would end this process
    held_ = ::fcntl(file_, F_SETLEASE, F_WRLCK) == 0;
  }
  ~WriteLease() {
    if (held_) ::fcntl(file_, F_SETLEASE, F_UNLCK);
  }
  WriteLease(const WriteLease&) = delete;
  WriteLease& operator=(const WriteLease&) = delete;
  [[nodiscard]] bool held() const { return held_; }

 private:
  int file_;
  bool held_ = false;
};

bool take_back(const Fd& file, off_t old_size, std::uint64_t written) {
  const WriteLease alone(file);
  struct stat now {};
  return alone.held() && ::fstat(file.get(), &now) == 0 &&
         now.st_size == old_size + static_cast<off_t>(written) &&
         ::ftruncate(file.get(), old_size) == 0;
}

// What a failed append has left is removed, unless another process may be appending too: which
// bytes are whose could not be told then.
Error failed_append(const Fd& file, const FilePlace& place, off_t old_size, std::uint64_t written,
                    int why) {
  Error error = path_error("append to", place.path, why);
  if (written > 0 && !take_back(file, old_size, written)) {
    error.hint = concat("the first ", written, " bytes of it are in the file");
  }
  return error;
}

// In place, because all that was there stays; after a failure it is as long as it was.
Result<files::Written> append_to(const FilePlace& place, const OldFile& old,
                                 const files::WriteRequest& request) {
  const Fd file(::openat(place.directory.get(), place.name.c_str(),
                         O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return path_error("append to", place.path, errno);
  std::uint64_t appended = 0;
  if (const int failed = write_fully(file, request.content, appended); failed != 0) {
    return failed_append(file, place, old.info->st_size, appended, failed);
  }
  if (::fsync(file.get()) != 0) return path_error("append to", place.path, errno);
  if (request.mode && ::fchmod(file.get(), *request.mode & 07777U) != 0) {
    return path_error("set the mode of", place.path, errno);
  }
  files::Written written{.path = place.path, .linked = place.linked};
  struct stat now {};
  if (::fstat(file.get(), &now) != 0) return path_error("look at", place.path, errno);
  TRY_ASSIGN(written.hash, hash_file(file, kHashedUpTo));
  written.size = static_cast<std::uint64_t>(now.st_size);
  written.mtime_ns = nanoseconds(now.st_mtim);
  written.mode = static_cast<std::uint32_t>(now.st_mode & 07777U);
  return written;
}

}  // namespace

Result<files::Written> write_file(const files::WriteRequest& request, const std::string& home,
                                  const TrashPlace& trash) {
  TRY_ASSIGN(const std::string path, absolute_path(request.path, home));
  auto found = find_place(path, LastLink::IsFollowed,
                          request.create_parents ? Parents::AreMade : Parents::MustExist);
  if (!found && found.error().code == Errc::NotFound && !request.create_parents) {
    Error error = std::move(found).error();
    error.hint = "create_parents (yonder write -p) makes the directories above it";
    return error;
  }
  TRY_ASSIGN(const FilePlace place, std::move(found));
  TRY_ASSIGN(const Fd lock, lock_directory(place));
  TRY_ASSIGN(const OldFile old, open_old(place, request.expected_hash));
  if (request.append && old.info) return append_to(place, old, request);
  PlaceTrash kept(trash, place, "write");
  TRY_ASSIGN(files::Written written, replace_file(place, old, request.content, request.mode, kept));
  collect_trash_sometimes(trash, std::nullopt, kept.bytes());
  return written;
}

}  // namespace yonder::tree
