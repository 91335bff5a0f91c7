#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/clean_text.h"
#include "base/text.h"
#include "tree/file_path.h"
#include "tree/file_replacement.h"
#include "tree/line_diff.h"
#include "tree/read_part.h"
#include "tree/text_edit.h"
#include "tree/write_file.h"

namespace yonder::tree {
namespace {

constexpr std::uint64_t kMaxEdited = 32ULL * 1024 * 1024;
constexpr std::size_t kMaxDiff = 20000;

Result<std::string> read_whole(const FilePlace& place) {
  const Fd file(::openat(place.directory.get(), place.name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return path_error("read", place.path, errno);
  std::string content;
  std::string block(256UL * 1024, '\0');
  while (true) {
    TRY_ASSIGN(const std::size_t n, read_some(file, block.data(), block.size()));
    if (n == 0) return content;
    content.append(block, 0, n);
    if (content.size() > kMaxEdited) {
      return Error{Errc::InvalidArgument,
                   concat(printable(place.path), " is larger than ", human_bytes(kMaxEdited)),
                   "change it with a command over there, such as sed"};
    }
  }
}

}  // namespace

Result<files::EditReply> edit_file(const files::EditRequest& request, const std::string& home,
                                   const TrashPlace& trash) {
  TRY_ASSIGN(const std::string path, absolute_path(request.path, home));
  TRY_ASSIGN(const FilePlace place, find_place(path, LastLink::IsFollowed, Parents::MustExist));
  TRY_ASSIGN(const Fd lock, lock_directory(place));
  TRY_ASSIGN(const OldFile old, open_old(place, request.expected_hash));
  if (!old.info) return path_error("edit", place.path, ENOENT);
  TRY_ASSIGN(const std::string before, read_whole(place));
  auto edited = apply_edits(before, request.edits);
  if (!edited) return std::move(edited).error().context(printable(place.path));
  files::EditReply reply{.replacements = edited->replacements};
  LineDiff diff = line_diff(before, edited->text, kMaxDiff);
  reply.diff = std::move(diff.text);
  reply.diff_truncated = diff.truncated;
  PlaceTrash kept(trash, place, "edit");
  TRY_ASSIGN(reply.file, replace_file(place, old, edited->text, std::nullopt, kept));
  collect_trash_sometimes(trash, std::nullopt, kept.bytes());
  return reply;
}

}  // namespace yonder::tree
