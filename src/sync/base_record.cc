#include "sync/base_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "sync/times.h"
#include "tree/beneath.h"
#include "tree/hash.h"

namespace yonder::sync {
namespace {

constexpr std::string_view kMagic = "yonder base 1\n";
constexpr std::uint64_t kMostBytes = 1024UL * 1024 * 1024;

bool is_same(const tree::Seen& then, const tree::Seen& now, std::int64_t step) {
  if (then.type != now.type) return false;
  if (then.type == tree::Type::Directory) return true;
  return (then.type != tree::Type::File || then.size == now.size) &&
         (then.mtime_ns == now.mtime_ns || as_kept(then.mtime_ns, step) == now.mtime_ns);
}

}  // namespace

const tree::Seen* BaseRecord::find(std::string_view path) const {
  const auto found = entries_.find(std::string(path));
  if (found != entries_.end()) return &found->second;
  for (const auto& other : others_) {
    if (const tree::Seen* seen = other.find(path)) return seen;
  }
  return nullptr;
}

std::optional<std::int64_t> BaseRecord::scanned_ns(std::string_view path) const {
  std::optional<std::int64_t> last;
  if (entries_.contains(std::string(path))) last = scanned_ns_;
  for (const auto& other : others_) {
    const auto when = other.scanned_ns(path);
    if (when && (!last || *when > *last)) last = when;
  }
  return last;
}

bool BaseRecord::knows(std::string_view path, const tree::Seen& now, std::int64_t step) const {
  const std::string key(path);
  const auto then = entries_.find(key);
  if (then != entries_.end() && is_same(then->second, now, step)) return true;
  const auto [begin, end] = sent_.equal_range(key);
  return std::any_of(begin, end,
                     [&](const auto& sent) { return is_same(sent.second, now, step); }) ||
         std::any_of(others_.begin(), others_.end(),
                     [&](const BaseRecord& other) { return other.knows(path, now, step); });
}

std::optional<BaseRecord> BaseRecord::below(std::string_view prefix) const {
  BaseRecord part;
  part.scanned_ns_ = scanned_ns_;
  const auto inside = [&](const std::string& path) {
    return path.size() > prefix.size() && path.starts_with(prefix);
  };
  for (const auto& [path, seen] : entries_) {
    if (inside(path)) part.entries_.emplace(path.substr(prefix.size()), seen);
  }
  for (const auto& [path, seen] : sent_) {
    if (inside(path)) part.sent_.emplace(path.substr(prefix.size()), seen);
  }
  if (!part.entries_.empty() || !part.sent_.empty()) return part;
  const bool was_there = !prefix.empty() && find(prefix.substr(0, prefix.size() - 1)) != nullptr;
  if (was_there) return part;
  return std::nullopt;
}

bool BaseRecord::sent_only(const BaseRecord& part, std::string_view prefix) const {
  return std::all_of(sent_.begin(), sent_.end(), [&](const auto& sent) {
    const std::string& path = sent.first;
    return path.starts_with(prefix) && part.entries_.contains(path.substr(prefix.size()));
  });
}

std::vector<Ancestor> ancestors_of(const Pair& pair, bool single_file) {
  std::vector<Ancestor> all;
  Pair above = pair;
  std::string prefix;
  while (true) {
    const auto local = tree::split_path(above.local_root);
    const auto remote = tree::split_path(above.remote_root);
    const bool same_place = !local.name.empty() && local.name == remote.name &&
                            above.local_root.starts_with('/') && above.remote_root.starts_with('/');
    if (!same_place) return all;
    // A file's paths are relative to its directory already.
    const bool is_file = single_file && all.empty() && prefix.empty();
    if (!is_file) prefix.insert(0, concat(local.name, "/"));
    const auto parent = [](std::string_view path) {
      return path.empty() ? std::string("/") : std::string(path);
    };
    above = {above.machine, parent(local.parent), parent(remote.parent), above.push};
    all.push_back({above, prefix});
  }
}

std::string pack_intent(const std::string& path, const tree::Seen& seen) {
  tree::Packer out;
  out.text(path);
  tree::pack(out, seen);
  return out.take();
}

std::string BaseRecord::pack() const {
  tree::Packer out;
  out.integer(scanned_ns_);
  for (const auto& [path, seen] : entries_) {
    out.text(path);
    tree::pack(out, seen);
  }
  return std::string(kMagic) + out.take();
}

std::optional<BaseRecord> BaseRecord::unpack(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return std::nullopt;
  tree::Unpacker in(bytes.substr(kMagic.size()));
  BaseRecord record;
  record.scanned_ns_ = in.integer();
  while (in.ok() && !in.empty()) {
    std::string path(in.text());
    const tree::Seen seen = tree::unpack_seen(in);
    if (in.ok()) record.entries_[std::move(path)] = seen;
  }
  if (!in.ok()) return std::nullopt;
  return record;
}

std::string BaseStore::path_of(const Pair& pair) const {
  tree::Packer identity;
  identity.text(pair.machine).text(pair.local_root).text(pair.remote_root).flag(pair.push);
  return concat(directory_, "/", tree::to_hex(tree::hash_of_bytes(identity.bytes())));
}

void BaseStore::add_intents(const Pair& pair, BaseRecord& record) const {
  const auto intents = read_file(path_of(pair) + ".sent", kMostBytes);
  if (!intents) return;
  tree::Unpacker in(*intents);
  while (in.ok() && !in.empty()) {
    std::string sent(in.text());
    const tree::Seen seen = tree::unpack_seen(in);
    if (in.ok()) record.note_sent(std::move(sent), seen);
  }
  // The last intent may be cut off: nothing was sent after it.
}

std::optional<BaseRecord> BaseStore::load(const Pair& pair) const {
  const auto bytes = read_file(path_of(pair), kMostBytes);
  auto record = bytes ? BaseRecord::unpack(*bytes) : std::nullopt;
  // A first sync that never came to its end says what it sent, but not what was there before.
  if (record) add_intents(pair, *record);
  return record;
}

std::optional<BaseRecord> BaseStore::load(const Pair& pair,
                                          const std::vector<Ancestor>& ancestors) const {
  auto record = load(pair);
  for (const auto& ancestor : ancestors) {
    const auto whole = has(ancestor.pair) ? load(ancestor.pair) : std::nullopt;
    auto part = whole ? whole->below(ancestor.prefix) : std::nullopt;
    if (!part) continue;
    if (!record) add_intents(pair, record.emplace());
    record->also(*std::move(part));
  }
  return record;
}

bool BaseStore::has(const Pair& pair) const {
  return path_exists(path_of(pair));
}

Result<void> BaseStore::save(const Pair& pair, const BaseRecord& record, Sent sent) const {
  TRY(make_directories(directory_));
  const std::string path = path_of(pair);
  TRY(write_file_atomically(path, record.pack(), Durability::Process));
  if (sent == Sent::IsSettled) ::unlink((path + ".sent").c_str());
  return {};
}

Result<void> BaseStore::note_intents(const Pair& pair, std::string_view packed) const {
  TRY(make_directories(directory_));
  TRY_ASSIGN(const Fd file, open_file(path_of(pair) + ".sent", O_WRONLY | O_CREAT | O_APPEND));
  return write_all(file, packed);
}

}  // namespace yonder::sync
