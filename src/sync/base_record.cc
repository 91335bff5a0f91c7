#include "sync/base_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/file.h"
#include "base/text.h"
#include "sync/times.h"
#include "tree/beneath.h"
#include "tree/hash.h"

namespace yonder::sync {
namespace {

constexpr std::string_view kMagic = "yonder base 5\n";
constexpr std::string_view kFourthMagic =
    "yonder base 4\n";                                       // without contents and times of change
constexpr std::string_view kThirdMagic = "yonder base 3\n";  // and without modes
constexpr std::string_view kSecondMagic = "yonder base 2\n";  // and without mounts
constexpr std::string_view kFirstMagic = "yonder base 1\n";   // and all was read at one time
constexpr std::uint64_t kMostBytes = 1024UL * 1024 * 1024;
constexpr std::uint64_t kMostMode = 01777;

bool is_same(const tree::Seen& then, const tree::Seen& now, std::int64_t step) {
  if (then.type != now.type) return false;
  if (then.type == tree::Type::Directory) return true;
  return (then.type != tree::Type::File || then.size == now.size) &&
         is_kept_as(then.mtime_ns, now.mtime_ns, step);
}

// Packed as it differs from the target's, which is mostly not at all. A garbled record may have any
// number.
std::int64_t source_behind(const Known& known) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(known.seen.mtime_ns) -
                                   static_cast<std::uint64_t>(known.source_ns));
}
std::int64_t source_time(const tree::Seen& seen, std::int64_t behind) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(seen.mtime_ns) -
                                   static_cast<std::uint64_t>(behind));
}

// Links have none of their own.
bool has_mode(const tree::Seen& seen) {
  return seen.type != tree::Type::Link;
}

AgreedMode unpack_mode(tree::Unpacker& in) {
  const std::uint64_t packed = in.number();
  if (packed > kMostMode + 1) in.reject();
  if (packed == 0 || !in.ok()) return std::nullopt;
  return static_cast<std::uint32_t>(packed - 1);
}

void pack_contents(tree::Packer& out, const Contents& contents) {
  out.flag(contents.has_value());
  if (contents) out.number(contents->low).number(contents->high);
}

Contents unpack_contents(tree::Unpacker& in) {
  if (!in.flag()) return std::nullopt;
  const std::uint64_t low = in.number();
  return tree::Hash{.low = low, .high = in.number()};
}

// Until the last one, which may be cut off: nothing was sent after it.
template <class Work>
void for_intents(std::string_view bytes, const Work& work) {
  tree::Unpacker in(bytes);
  while (in.ok() && !in.empty()) {
    std::string path(in.text());
    AgreedMode mode;
    if (path.empty()) {
      mode = unpack_mode(in);
      path = in.text();
    }
    const tree::Seen seen = tree::unpack_seen(in);
    if (in.ok()) work(std::move(path), Known(seen, seen.mtime_ns, mode));
  }
}

}  // namespace

const Known* BaseRecord::find(std::string_view path) const {
  const auto found = entries_.find(path);
  if (found != entries_.end()) return &found->second;
  for (const auto& other : others_) {
    if (const Known* known = other.find(path)) return known;
  }
  return nullptr;
}

std::optional<std::int64_t> BaseRecord::scanned_ns(std::string_view path) const {
  std::optional<std::int64_t> last;
  if (entries_.contains(path)) {
    const auto earlier = read_earlier_.find(path);
    last = earlier == read_earlier_.end() ? scanned_ns_ : earlier->second;
  }
  for (const auto& other : others_) {
    const auto when = other.scanned_ns(path);
    if (when && (!last || *when > *last)) last = when;
  }
  return last;
}

std::vector<std::string> BaseRecord::mounts() const {
  std::vector<std::string> all = mounts_;
  for (const auto& other : others_) {
    for (auto& path : other.mounts()) {
      if (std::find(all.begin(), all.end(), path) == all.end()) all.push_back(std::move(path));
    }
  }
  return all;
}

void BaseRecord::read_earlier(std::string_view path, std::int64_t when) {
  const auto found = entries_.find(path);
  const bool matters = found != entries_.end() && when < scanned_ns_ &&
                       found->second.seen.mtime_ns >= when - kCoarseTick;
  if (matters) read_earlier_.insert_or_assign(std::string(path), when);
}

const Known* BaseRecord::matching(std::string_view path, const tree::Seen& now,
                                  std::int64_t step) const {
  const auto then = entries_.find(path);
  if (then != entries_.end() && is_same(then->second.seen, now, step)) return &then->second;
  for (auto [sent, end] = sent_.equal_range(path); sent != end; ++sent) {
    if (is_same(sent->second.seen, now, step)) return &sent->second;
  }
  for (const auto& other : others_) {
    if (const Known* known = other.matching(path, now, step)) return known;
  }
  return nullptr;
}

const Known* BaseRecord::file_of_size(std::string_view path, const tree::Seen& now) const {
  const auto found = entries_.find(path);
  if (found == entries_.end() || now.type != tree::Type::File) return nullptr;
  const tree::Seen& then = found->second.seen;
  return then.type == now.type && then.size == now.size ? &found->second : nullptr;
}

bool BaseRecord::may_be_touched(std::string_view path, const tree::Seen& now) const {
  const Known* known = file_of_size(path, now);
  if (known != nullptr && known->contents) return true;
  return std::any_of(others_.begin(), others_.end(),
                     [&](const BaseRecord& other) { return other.may_be_touched(path, now); });
}

bool BaseRecord::has_contents(std::string_view path, const tree::Seen& now,
                              const tree::Hash& hash) const {
  const Known* known = file_of_size(path, now);
  if (known != nullptr && known->contents == hash) return true;
  return std::any_of(others_.begin(), others_.end(),
                     [&](const BaseRecord& other) { return other.has_contents(path, now, hash); });
}

bool BaseRecord::has_attributes_of(std::string_view path, std::int64_t changed_ns) const {
  const auto found = entries_.find(path);
  if (changed_ns != 0 && found != entries_.end() && found->second.changed_ns == changed_ns) {
    return true;
  }
  return std::any_of(others_.begin(), others_.end(), [&](const BaseRecord& other) {
    return other.has_attributes_of(path, changed_ns);
  });
}

bool BaseRecord::knows_attributes() const {
  std::size_t known = 0;
  for (const auto& [path, entry] : entries_) known += entry.changed_ns != 0 ? 1U : 0U;
  if (known * 2 > entries_.size()) return true;
  return std::any_of(others_.begin(), others_.end(),
                     [](const BaseRecord& other) { return other.knows_attributes(); });
}

AgreedMode BaseRecord::mode_of(std::string_view path, tree::Type type) const {
  const auto found = entries_.find(path);
  const bool same_type = found != entries_.end() && found->second.seen.type == type;
  AgreedMode mode = same_type ? found->second.mode : std::nullopt;
  if (others_.empty()) return mode;
  std::int64_t last = found != entries_.end() ? scanned_ns_ : INT64_MIN;
  for (const auto& other : others_) {
    const auto when = other.scanned_ns(path);
    if (!when || *when <= last) continue;
    last = *when;
    mode = other.mode_of(path, type);
  }
  return mode;
}

bool BaseRecord::may_have_given(std::string_view path, std::uint32_t mode) const {
  for (auto [sent, end] = sent_.equal_range(path); sent != end; ++sent) {
    if (sent->second.mode == mode) return true;
  }
  return std::any_of(others_.begin(), others_.end(),
                     [&](const BaseRecord& other) { return other.may_have_given(path, mode); });
}

bool BaseRecord::note(std::string_view path, const Known& as_known) {
  // A directory is what it is whatever its time.
  const bool timeless = as_known.seen.type == tree::Type::Directory;
  const tree::Seen directory{.exists = true, .type = tree::Type::Directory};
  Known known = timeless ? Known(directory, 0, as_known.mode) : as_known;
  known.changed_ns = as_known.changed_ns;
  if (const auto earlier = read_earlier_.find(path); earlier != read_earlier_.end()) {
    read_earlier_.erase(earlier);
  }
  const auto found = entries_.find(path);
  if (found == entries_.end()) return entries_.emplace(path, known).second;
  if (found->second == known) return false;
  found->second = known;
  return true;
}

bool BaseRecord::forget(std::string_view path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return false;
  entries_.erase(found);
  return true;
}

void BaseRecord::take(BaseRecord& other, std::string_view path) {
  const auto found = other.entries_.find(path);
  if (found != other.entries_.end()) entries_.insert(other.entries_.extract(found));
}

bool BaseRecord::forget_sent(std::string_view path) {
  const auto [begin, end] = sent_.equal_range(path);
  const bool had = begin != end;
  sent_.erase(begin, end);
  return had;
}

std::optional<BaseRecord> BaseRecord::below(std::string_view prefix) const {
  BaseRecord part;
  part.scanned_ns_ = scanned_ns_;
  const auto inside = [&](const std::string& path) {
    return path.size() > prefix.size() && path.starts_with(prefix);
  };
  for (const auto& [path, known] : entries_) {
    if (inside(path)) part.entries_.emplace(path.substr(prefix.size()), known);
  }
  for (const auto& [path, when] : read_earlier_) {
    if (inside(path)) part.read_earlier_.emplace(path.substr(prefix.size()), when);
  }
  for (const auto& [path, seen] : sent_) {
    if (inside(path)) part.sent_.emplace(path.substr(prefix.size()), seen);
  }
  for (const auto& path : mounts_) {
    if (inside(path)) part.mounts_.push_back(path.substr(prefix.size()));
    if (path + "/" == prefix) part.mounts_.emplace_back();
  }
  if (!part.entries_.empty() || !part.sent_.empty()) return part;
  const bool was_there = !prefix.empty() && find(prefix.substr(0, prefix.size() - 1)) != nullptr;
  if (was_there) return part;
  return std::nullopt;
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

// One with a mode begins with an empty path, which nothing has.
std::string pack_intent(const std::string& path, const Known& known) {
  tree::Packer out;
  if (known.mode) out.text("").number(*known.mode + 1);
  out.text(path);
  tree::pack(out, known.seen);
  return out.take();
}

std::string BaseRecord::pack() const {
  tree::Packer out;
  out.integer(scanned_ns_);
  out.number(mounts_.size());
  for (const auto& path : mounts_) out.text(path);
  out.number(read_earlier_.size());
  for (const auto& [path, when] : read_earlier_) out.text(path).integer(when);
  for (const auto& [path, known] : entries_) {
    out.text(path);
    tree::pack(out, known.seen);
    if (known.seen.type == tree::Type::File) out.integer(source_behind(known));
    if (!has_mode(known.seen)) continue;
    out.number(known.mode ? *known.mode + 1 : 0).integer(known.changed_ns);
    if (known.seen.type == tree::Type::File) pack_contents(out, known.contents);
  }
  return std::string(kMagic) + out.take();
}

std::optional<BaseRecord> BaseRecord::unpack(std::string_view bytes) {
  const bool first = bytes.starts_with(kFirstMagic);
  const bool second = bytes.starts_with(kSecondMagic);
  const bool has_contents = bytes.starts_with(kMagic);
  const bool has_modes = has_contents || bytes.starts_with(kFourthMagic);
  if (!first && !second && !has_modes && !bytes.starts_with(kThirdMagic)) return std::nullopt;
  tree::Unpacker in(bytes.substr(kMagic.size()));
  BaseRecord record;
  record.scanned_ns_ = in.integer();
  // A count is only believed as far as there are bytes.
  for (std::uint64_t left = first || second ? 0 : in.number(); left > 0 && in.ok(); --left) {
    record.mounts_.emplace_back(in.text());
  }
  for (std::uint64_t left = first ? 0 : in.number(); left > 0 && in.ok(); --left) {
    std::string path(in.text());
    record.read_earlier_[std::move(path)] = in.integer();
  }
  while (in.ok() && !in.empty()) {
    std::string path(in.text());
    Known known = tree::unpack_seen(in);
    if (!first && known.seen.type == tree::Type::File) {
      known.source_ns = source_time(known.seen, in.integer());
    }
    if (has_modes && has_mode(known.seen)) known.mode = unpack_mode(in);
    const bool is_file = known.seen.type == tree::Type::File;
    if (has_contents && has_mode(known.seen)) known.changed_ns = in.integer();
    if (has_contents && is_file) known.contents = unpack_contents(in);
    if (in.ok()) record.entries_.insert_or_assign(std::move(path), known);
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
  for_intents(*intents, [&](std::string path, const Known& known) {
    record.note_sent(std::move(path), known);
  });
}

std::set<std::string, std::less<>> BaseStore::begun_directories(const Pair& pair) const {
  std::set<std::string, std::less<>> paths;
  const auto intents = read_file(path_of(pair) + ".sent", kMostBytes);
  if (!intents) return paths;
  for_intents(*intents, [&](std::string path, const Known& known) {
    if (known.seen.type == tree::Type::Directory) paths.insert(std::move(path));
  });
  return paths;
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

Result<void> BaseStore::save(const Pair& pair, const BaseRecord& record) const {
  TRY(make_directories(directory_));
  const std::string path = path_of(pair);
  TRY(write_file_atomically(path, record.pack(), Durability::Process));
  std::string sent;
  for (const auto& [name, known] : record.sent()) sent += pack_intent(name, known);
  if (!sent.empty()) return write_file_atomically(path + ".sent", sent, Durability::Process);
  ::unlink((path + ".sent").c_str());
  return {};
}

Result<void> BaseStore::note_intents(const Pair& pair, std::string_view packed) const {
  TRY(make_directories(directory_));
  TRY_ASSIGN(const Fd file, open_file(path_of(pair) + ".sent", O_WRONLY | O_CREAT | O_APPEND));
  return write_all(file, packed);
}

}  // namespace yonder::sync
