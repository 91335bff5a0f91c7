#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/lock_holder.h"
#include "base/text.h"
#include "tree/remove_tree.h"
#include "tree/rename.h"
#include "tree/trash.h"
#include "tree/trash_batch.h"

namespace yonder::tree {
namespace {

class Restorer {
 public:
  Restorer(const TrashPlace& place, int root_fd, const std::string& root)
      : root_fd_(root_fd), replaced_(place, root_fd, root, "restore") {}

  // Everything of one layer.
  void restore_all(int layer_fd) { restore_children(layer_fd, root_fd_, "", 0); }

  // One path of one layer. False: it is not there.
  bool restore_path(int layer_fd, const std::vector<std::string>& parts, const std::string& path) {
    Fd from;
    int from_fd = layer_fd;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      auto next = open_directory_at(from_fd, parts[i]);
      if (!next) return false;
      from = *std::move(next);
      from_fd = from.get();
    }
    struct stat info {};
    if (::fstatat(from_fd, parts.back().c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
    auto to = open_parent(layer_fd, parts);
    if (!to) {
      fail(path, to.error().message);
      return true;
    }
    restore_entry(from_fd, to->get(), parts.back(), path, 0);
    return true;
  }

  RestoreReport finish() {
    report_.batch = replaced_.batch();
    report_.replaced = replaced_.taken();
    return std::move(report_);
  }

 private:
  void fail(const std::string& path, const std::string& reason) {
    report_.failed.push_back({path, reason});
  }

  // The directory that the path belongs into. Where one of the way is missing, it is made as it
  // was when the path was taken.
  Result<Fd> open_parent(int layer_fd, const std::vector<std::string>& parts) {
    TRY_ASSIGN(Fd to, open_directory_at(root_fd_, "."));
    TRY_ASSIGN(Fd from, open_directory_at(layer_fd, "."));
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      TRY_ASSIGN(from, open_directory_at(from.get(), parts[i]));
      struct stat info {};
      const bool known = ::fstat(from.get(), &info) == 0;
      const bool made = ::mkdirat(to.get(), parts[i].c_str(), 0700) == 0;
      TRY_ASSIGN(to, open_directory_at(to.get(), parts[i]));
      if (made && known) ::fchmod(to.get(), info.st_mode & 0777U);
    }
    return to;
  }

  void restore_children(int from_fd, int to_fd, const std::string& prefix, int depth) {
    const auto names = sorted_names_in(from_fd);
    if (!names || depth > kDeepestTrash) return fail(prefix, "it cannot be read, or is too deep");
    for (const std::string& name : *names) {
      const std::string path = prefix.empty() ? name : concat(prefix, "/", name);
      restore_entry(from_fd, to_fd, name, path, depth);
    }
  }

  void restore_entry(int from_fd, int to_fd, const std::string& name, const std::string& path,
                     int depth) {
    const int failed = rename_new(from_fd, name, to_fd, name);
    if (failed == 0) {
      ++report_.restored;
      return;
    }
    if (failed != EEXIST && failed != ENOTEMPTY) return fail(path, std::strerror(failed));
    const auto from = open_directory_at(from_fd, name);
    const auto to = open_directory_at(to_fd, name);
    if (from && to) {
      restore_children(from->get(), to->get(), path, depth + 1);
      ::unlinkat(from_fd, name.c_str(), AT_REMOVEDIR);  // stays when something in it failed
      return;
    }
    if (auto moved = replaced_.take(to_fd, name, path); !moved) {
      return fail(path, moved.error().message);
    }
    const int again = rename_new(from_fd, name, to_fd, name);
    if (again != 0) return fail(path, std::strerror(again));
    ++report_.restored;
  }

  int root_fd_;
  Trash replaced_;
  RestoreReport report_;
};

// The layers of a batch, the last first: a path that was taken twice ends as it was at first.
std::vector<Fd> open_layers(int batch_fd) {
  std::vector<Fd> layers;
  for (std::size_t layer = kTrashLayers; layer-- > 0;) {
    auto fd = open_directory_at(batch_fd, layer_name(layer));
    if (fd) layers.push_back(*std::move(fd));
  }
  return layers;
}

void remove_if_empty(const TrashBatch& batch, int batch_fd) {
  for (const Fd& layer : open_layers(batch_fd)) {
    const auto names = sorted_names_in(layer.get());
    if (!names || !names->empty()) return;
  }
  const std::size_t slash = batch.directory.find_last_of('/');
  const auto trash = open_own_directory(batch.directory.substr(0, slash));
  if (!trash) return;
  [[maybe_unused]] const auto removed = remove_tree(trash->get(), batch.id);
}

}  // namespace

Result<RestoreReport> restore_trash(const TrashPlace& place, const TrashBatch& batch,
                                    const std::vector<std::string>& paths) {
  TRY_ASSIGN(const Fd directory, open_own_directory(batch.directory));
  if (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Error{
        Errc::Conflict,
        concat("the trash batch ", batch.id, " is in use by ", describe_flock_holder(directory)),
        "wait until the operation that fills it has ended"};
  }
  if (!path_exists(batch.root)) TRY(make_directories(batch.root));
  const Fd root(::open(batch.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return errno_error("open " + batch.root);
  Restorer restorer(place, root.get(), batch.root);
  const std::vector<Fd> layers = open_layers(directory.get());
  RestoreReport unknown;
  if (paths.empty()) {
    for (const Fd& layer : layers) restorer.restore_all(layer.get());
  }
  for (const std::string& path : paths) {
    const std::string_view plain = path.size() > 1 && path.back() == '/'
                                       ? std::string_view(path).substr(0, path.size() - 1)
                                       : std::string_view(path);
    TRY_ASSIGN(const auto parts, split_relative(plain));
    bool found = false;
    for (const Fd& layer : layers) {
      if (restorer.restore_path(layer.get(), parts, std::string(plain))) found = true;
    }
    if (!found) unknown.failed.push_back({path, "it is not in this batch"});
  }
  RestoreReport report = restorer.finish();
  for (auto& failed : unknown.failed) report.failed.push_back(std::move(failed));
  remove_if_empty(batch, directory.get());
  return report;
}

}  // namespace yonder::tree
