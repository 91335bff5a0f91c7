#include "tree/write_file.h"

#include <fcntl.h>
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

// In place, because all that was there stays; after a failure it is as long as it was.
Result<files::Written> append_to(const FilePlace& place, const OldFile& old,
                                 const files::WriteRequest& request) {
  const Fd file(::openat(place.directory.get(), place.name.c_str(),
                         O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return path_error("append to", place.path, errno);
  if (const int failed = write_fully(file, request.content); failed != 0) {
    [[maybe_unused]] const int back = ::ftruncate(file.get(), old.info->st_size);
    return path_error("append to", place.path, failed);
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
  collect_trash_sometimes(trash);
  return written;
}

}  // namespace yonder::tree
