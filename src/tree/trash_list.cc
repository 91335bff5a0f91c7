#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "tree/mounts.h"
#include "tree/trash.h"
#include "tree/trash_batch.h"

namespace yonder::tree {
namespace {

// So many entries of a batch are counted, for a list that somebody waits for, and by the collector.
constexpr std::uint64_t kCountedToShow = 20000;
constexpr std::uint64_t kCountedToCollect = 2UL * 1000 * 1000;
constexpr std::size_t kShownBatches = 10;

// Counts what is below, up to a limit. False: there was more.
bool count(int dir_fd, int depth, std::uint64_t most, TrashBatch& batch) {
  const auto names = sorted_names_in(dir_fd);
  if (!names || depth > kDeepestTrash) return false;
  if (names->empty()) ++batch.entries;
  for (const std::string& name : *names) {
    if (batch.entries >= most) return false;
    struct stat info {};
    if (::fstatat(dir_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    batch.bytes += static_cast<std::uint64_t>(info.st_blocks) * 512U;
    if (!S_ISDIR(info.st_mode)) {
      ++batch.entries;
      continue;
    }
    const auto child = open_directory_at(dir_fd, name);
    // What lies behind a mount is no part of the batch.
    if (child && mounted_on(child->get()) != mounted_on(dir_fd)) {
      ++batch.entries;
      continue;
    }
    if (!child || !count(child->get(), depth + 1, most, batch)) return false;
  }
  return true;
}

bool is_layer(const std::string& name) {
  return name == "files" || name.rfind("files.", 0) == 0;
}

// The names below a directory of a batch, sorted as their paths' components are.
void collect_paths(int dir_fd, const std::string& prefix, int depth, std::size_t limit,
                   std::vector<std::string>& paths) {
  const auto names = sorted_names_in(dir_fd);
  if (!names || depth > kDeepestTrash) return;
  if (names->empty() && !prefix.empty()) paths.push_back(prefix + "/");
  for (const std::string& name : *names) {
    if (paths.size() >= limit) return;
    const std::string path = prefix.empty() ? name : concat(prefix, "/", name);
    const auto child = open_directory_at(dir_fd, name);
    if (child && mounted_on(child->get()) == mounted_on(dir_fd)) {
      collect_paths(child->get(), path, depth + 1, limit, paths);
    } else {
      paths.push_back(path);
    }
  }
}

Result<TrashBatch> read_batch(int trash_fd, const std::string& trash, const std::string& id,
                              std::uint64_t most = kCountedToShow) {
  TRY_ASSIGN(const Fd directory, open_directory_at(trash_fd, id));
  TRY_ASSIGN(BatchInfo info, read_batch_info(directory.get()));
  TrashBatch batch{.id = id,
                   .root = std::move(info.root),
                   .why = std::move(info.why),
                   .created_ms = info.created_ms,
                   .directory = concat(trash, "/", id)};
  // A tree may have been moved together with the trash in it.
  const std::size_t slash = trash.find_last_of('/');
  if (is_trash_name(std::string_view(trash).substr(slash + 1))) {
    batch.root = trash.substr(0, std::max<std::size_t>(1, slash));
  }
  TRY_ASSIGN(const auto names, sorted_names_in(directory.get()));
  for (const std::string& name : names) {
    if (!is_layer(name)) continue;
    const auto layer = open_directory_at(directory.get(), name);
    if (!layer || !count(layer->get(), 0, most, batch)) batch.counted = false;
  }
  return batch;
}

bool may_begin_batch_id(const std::string& text) {
  constexpr std::string_view kSomeId = "00000000T000000-aaaa";
  if (text.empty() || text.size() > kSomeId.size()) return false;
  return is_batch_id(concat(text, kSomeId.substr(text.size())));
}

// Sorted; those that may be read.
std::vector<std::string> batches_beginning_with(const TrashPlace& place,
                                                const std::string& beginning) {
  std::vector<std::string> ids;
  for (const std::string& trash : known_trashes(place)) {
    const auto directory = open_own_directory(trash);
    if (!directory) continue;
    const auto names = sorted_names_in(directory->get());
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!is_batch_id(name) || !name.starts_with(beginning)) continue;
      const auto batch = open_directory_at(directory->get(), name);
      if (batch && read_batch_info(batch->get())) ids.push_back(name);
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Error several_batches(const std::string& beginning, std::vector<std::string> ids) {
  const bool more = ids.size() > kShownBatches;
  ids.resize(std::min(ids.size(), kShownBatches));
  return {Errc::InvalidArgument,
          concat("'", beginning, "' fits more than one trash batch: ", join(ids, ", "),
                 more ? ", ..." : ""),
          "give more of it"};
}

// Newest first.
Result<std::vector<TrashBatch>> batches_in(std::vector<std::string> trashes, std::uint64_t most) {
  std::sort(trashes.begin(), trashes.end());
  trashes.erase(std::unique(trashes.begin(), trashes.end()), trashes.end());
  std::vector<TrashBatch> batches;
  for (const std::string& trash : trashes) {
    const auto directory = open_own_directory(trash);
    if (!directory) continue;  // nothing was ever taken there, or it is not ours
    TRY_ASSIGN(const auto names, sorted_names_in(directory->get()));
    for (const std::string& name : names) {
      if (!is_batch_id(name)) continue;
      auto batch = read_batch(directory->get(), trash, name, most);
      if (batch) batches.push_back(*std::move(batch));
    }
  }
  std::sort(batches.begin(), batches.end(), [](const TrashBatch& a, const TrashBatch& b) {
    return std::tie(b.created_ms, b.id) < std::tie(a.created_ms, a.id);
  });
  return batches;
}

void add_trashes_in(const std::string& root, std::vector<std::string>& trashes) {
  for (std::string& trash : trashes_in(root)) trashes.push_back(std::move(trash));
}

}  // namespace

Result<std::vector<TrashBatch>> list_trash(const TrashPlace& place,
                                           const std::optional<std::string>& root) {
  std::vector<std::string> trashes = known_trashes(place);
  if (root) add_trashes_in(*root, trashes);
  TRY_ASSIGN(auto batches, batches_in(std::move(trashes), kCountedToShow));
  if (root) std::erase_if(batches, [&](const TrashBatch& batch) { return batch.root != *root; });
  return batches;
}

std::vector<TrashBatch> all_batches(const TrashPlace& place,
                                    const std::optional<std::string>& root) {
  std::vector<std::string> trashes;
  if (!place.state_dir.empty()) trashes = known_trashes(place);
  if (root) add_trashes_in(*root, trashes);
  auto batches = batches_in(std::move(trashes), kCountedToCollect);
  return batches ? *std::move(batches) : std::vector<TrashBatch>();
}

Result<TrashBatch> find_trash(const TrashPlace& place, const std::string& id) {
  if (!may_begin_batch_id(id)) {
    return Error{Errc::InvalidArgument, concat("'", id, "' is no id of a trash batch"),
                 "ids look like 20261116T081502-k3fa; list the trash to see them"};
  }
  const std::vector<std::string> ids = batches_beginning_with(place, id);
  if (ids.size() > 1) return several_batches(id, ids);
  for (const std::string& trash : known_trashes(place)) {
    const auto directory = open_own_directory(trash);
    if (!directory || ids.empty()) continue;
    if (auto batch = read_batch(directory->get(), trash, ids.front(), kCountedToShow))
      return *std::move(batch);
  }
  return Error{
      Errc::NotFound, concat("there is no trash batch ", id),
      "old batches are removed after two weeks, or when there are many or large ones; list the "
      "trash to see what is there"};
}

Result<std::vector<std::string>> list_batch(const TrashBatch& batch, std::size_t limit) {
  TRY_ASSIGN(const Fd directory, open_own_directory(batch.directory));
  TRY_ASSIGN(const auto names, sorted_names_in(directory.get()));
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (!is_layer(name)) continue;
    const auto layer = open_directory_at(directory.get(), name);
    if (layer) collect_paths(layer->get(), "", 0, limit, paths);
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace yonder::tree
