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

// What a failed append has left goes, unless somebody else has appended something, too: nobody
// knows then whose bytes are the last.
Error take_back(const Fd& file, const FilePlace& place, off_t old_size, std::uint64_t written,
                int why) {
  Error error = path_error("append to", place.path, why);
  struct stat now {};
  const bool ours =
      ::fstat(file.get(), &now) == 0 && now.st_size == old_size + static_cast<off_t>(written);
  if (!ours || (written > 0 && ::ftruncate(file.get(), old_size) != 0)) {
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
    return take_back(file, place, old.info->st_size, appended, failed);
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
