#include "tree/change_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "tree/directory_names.h"
#include "tree/file_path.h"
#include "tree/file_place.h"
#include "tree/holds.h"
#include "tree/rename.h"
#include "tree/trash_room.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kMaxAnswerPaths = 20000;

// The root, the home directory, Yonder's own state, and whatever holds one of them.
bool is_precious(const struct stat& info, const std::string& home, const TrashPlace& trash) {
  return is_or_holds(info, "/") || is_or_holds(info, home) || is_or_holds(info, trash.state_dir);
}

Result<void> check_deletable(const FilePlace& place, const struct stat& info,
                             const files::DeleteRequest& request, const std::string& home,
                             const TrashPlace& trash) {
  if (!S_ISDIR(info.st_mode)) return {};
  if (is_precious(info, home, trash)) {
    return Error{Errc::InvalidArgument, concat(printable(place.path), " is not deleted"),
                 "the root, the home directory, Yonder's own state and what they are in stay"};
  }
  if (request.recursive) return {};
  const Fd directory(::openat(place.directory.get(), place.name.c_str(),
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return path_error("open directory", place.path, errno);
  const auto names = names_in(directory.get());
  if (names && names->empty()) return {};
  return Error{Errc::InvalidArgument,
               concat(printable(place.path), " is a directory with something in it"),
               "set recursive to delete it with everything below"};
}

// "to/" and an existing directory mean a name in it.
Result<FilePlace> find_target(const files::MoveRequest& request, const std::string& home,
                              const std::string& name) {
  TRY_ASSIGN(std::string path, absolute_path(request.to, home));
  struct stat info {};
  const bool is_directory = ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (is_directory || request.to.ends_with('/')) path = concat(path == "/" ? "" : path, "/", name);
  return find_place(path, LastLink::IsMeant,
                    request.create_parents ? Parents::AreMade : Parents::MustExist);
}

Error cannot_move(const FilePlace& from, const FilePlace& to, int why) {
  Error error = path_error(concat("move ", printable(from.path), " to"), to.path, why);
  if (why == EXDEV) error.hint = "they are on different file systems: copy it with a command there";
  if (why == EINVAL) error.hint = "a directory cannot be moved into itself";
  return error;
}

Result<void> move_onto(const FilePlace& from, const FilePlace& to, PlaceTrash& kept) {
  // First beside the target, so that what stands there makes way in one step.
  const std::string temporary = aside_name();
  if (::renameat(from.directory.get(), from.name.c_str(), to.directory.get(), temporary.c_str()) !=
      0) {
    return cannot_move(from, to, errno);
  }
  auto replaced = kept.replace(to, temporary);
  if (replaced) return {};
  // Somebody may have used the name meanwhile.
  Error error = std::move(replaced).error();
  if (rename_new(to.directory.get(), temporary, from.directory.get(), from.name) != 0) {
    error.hint = concat("what was to be moved is now called ", temporary, ", beside ",
                        printable(to.path), error.hint.empty() ? "" : "; ", error.hint);
  }
  return error;
}

}  // namespace

Result<files::MoveReply> move_file(const files::MoveRequest& request, const std::string& home,
                                   const TrashPlace& trash) {
  TRY_ASSIGN(const std::string path, absolute_path(request.from, home));
  TRY_ASSIGN(const FilePlace from, find_place(path, LastLink::IsMeant, Parents::MustExist));
  TRY_ASSIGN(const auto moved, look_at_place(from));
  if (!moved) return path_error("move", from.path, ENOENT);
  TRY_ASSIGN(const FilePlace to, find_target(request, home, from.name));
  files::MoveReply reply{.from = from.path, .to = to.path};
  if (from.path == to.path) {
    return Error{Errc::InvalidArgument, concat(printable(to.path), " is already there"), ""};
  }
  const int failed = rename_new(from.directory.get(), from.name, to.directory.get(), to.name);
  if (failed == 0) return reply;
  if (failed != EEXIST) return cannot_move(from, to, failed);
  if (!request.overwrite) {
    return Error{Errc::Conflict, concat(printable(to.path), " exists already"),
                 "set overwrite to move it to the trash first"};
  }
  TRY_ASSIGN(const auto there, look_at_place(to));
  if (there && S_ISDIR(there->st_mode) && is_precious(*there, home, trash)) {
    return Error{Errc::InvalidArgument, concat(printable(to.path), " is not replaced"),
                 "the root, the home directory, Yonder's own state and what they are in stay"};
  }
  PlaceTrash kept(trash, to, "move");
  TRY(move_onto(from, to, kept));
  reply.replaced = true;
  reply.batch = kept.batch();
  collect_trash_sometimes(trash, std::nullopt, kept.bytes());
  return reply;
}

Result<files::DeleteReply> delete_file(const files::DeleteRequest& request, const std::string& home,
                                       const TrashPlace& trash) {
  TRY_ASSIGN(const std::string path, absolute_path(request.path, home));
  if (path == "/") {
    return Error{Errc::InvalidArgument, "/ is not deleted", "name what is to go"};
  }
  TRY_ASSIGN(const FilePlace place, find_place(path, LastLink::IsMeant, Parents::MustExist));
  TRY_ASSIGN(const auto info, look_at_place(place));
  if (!info) return path_error("delete", place.path, ENOENT);
  TRY(check_deletable(place, *info, request, home, trash));
  PlaceTrash kept(trash, place, "delete");
  TRY(kept.take(place));
  files::DeleteReply reply{
      .path = place.path, .type = file_type_of(info->st_mode), .batch = kept.batch()};
  collect_trash_sometimes(trash, std::nullopt, kept.bytes());
  return reply;
}

Result<files::MakeDirectoryReply> make_directory_at(const files::MakeDirectoryRequest& request,
                                                    const std::string& home) {
  files::MakeDirectoryReply reply;
  TRY_ASSIGN(reply.path, absolute_path(request.path, home));
  struct stat info {};
  if (::stat(reply.path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return reply;
    return Error{Errc::Conflict, concat(printable(reply.path), " exists, and is no directory"), ""};
  }
  TRY_ASSIGN(reply.made, make_directories_for(reply.path, request.parents));
  if (request.mode && ::chmod(reply.path.c_str(), *request.mode & 07777U) != 0) {
    return path_error("set the mode of", reply.path, errno);
  }
  return reply;
}

Result<files::TrashReply> show_trash(const files::TrashRequest& request, const TrashPlace& trash) {
  std::vector<TrashBatch> batches;
  if (request.batch.empty()) {
    TRY_ASSIGN(batches, list_trash(trash));
  } else {
    TRY_ASSIGN(TrashBatch one, find_trash(trash, request.batch));
    batches.push_back(std::move(one));
  }
  files::TrashReply reply{.now_ms = wall_clock_ms()};
  std::size_t room = kMaxAnswerPaths;
  for (TrashBatch& batch : batches) {
    files::TrashBatch shown{.id = batch.id,
                            .root = batch.root,
                            .why = batch.why,
                            .created_ms = batch.created_ms,
                            .entries = batch.entries,
                            .bytes = batch.bytes,
                            .counted = batch.counted,
                            .directory = batch.directory};
    if (request.max_paths > 0 && room > 0) {
      auto paths = list_batch(batch, std::min<std::uint64_t>(request.max_paths, room));
      if (paths) shown.paths = *std::move(paths);
      room -= std::min(room, shown.paths.size());
    }
    reply.batches.push_back(std::move(shown));
  }
  return reply;
}

Result<files::RestoreReply> restore_files(const files::RestoreRequest& request,
                                          const TrashPlace& trash) {
  TRY_ASSIGN(const TrashBatch batch, find_trash(trash, request.batch));
  TRY_ASSIGN(RestoreReport report, restore_trash(trash, batch, request.paths));
  files::RestoreReply reply{.root = batch.root,
                            .restored = report.restored,
                            .replaced = report.replaced,
                            .batch = std::move(report.batch)};
  for (auto& failed : report.failed) reply.failed.push_back({failed.path, failed.reason});
  return reply;
}

Result<files::EmptyTrashReply> empty_trash(const files::EmptyTrashRequest& request,
                                           const TrashPlace& trash) {
  const EmptiedTrash emptied = remove_batches(trash, request.batches);
  files::EmptyTrashReply reply{.batches = emptied.batches, .bytes = emptied.bytes};
  for (const auto& kept : emptied.kept) reply.kept.push_back({kept.batch, kept.reason});
  return reply;
}

}  // namespace yonder::tree
