#include "sync/base_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "tree/hash.h"

namespace yonder::sync {
namespace {

constexpr std::string_view kMagic = "yonder base 1\n";
constexpr std::uint64_t kMostBytes = 1024UL * 1024 * 1024;
constexpr std::int64_t kSecond = 1000000000;

std::int64_t floor_to(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

bool is_same(const tree::Seen& a, const tree::Seen& b) {
  if (a.type != b.type) return false;
  if (a.type == tree::Type::Directory) return true;
  return (a.type != tree::Type::File || a.size == b.size) && same_time(a.mtime_ns, b.mtime_ns);
}

}  // namespace

bool same_time(std::int64_t a_ns, std::int64_t b_ns) {
  if (a_ns == b_ns) return true;
  for (const std::int64_t step :
       {std::int64_t{100}, std::int64_t{1000}, kSecond / 1000, kSecond, 2 * kSecond}) {
    if (a_ns % step == 0 && floor_to(b_ns, step) == a_ns) return true;
    if (b_ns % step == 0 && floor_to(a_ns, step) == b_ns) return true;
  }
  return false;
}

const tree::Seen* BaseRecord::find(std::string_view path) const {
  const auto found = entries_.find(std::string(path));
  return found == entries_.end() ? nullptr : &found->second;
}

bool BaseRecord::knows(std::string_view path, const tree::Seen& now) const {
  const tree::Seen* then = find(path);
  if (then != nullptr && is_same(*then, now)) return true;
  const auto [begin, end] = sent_.equal_range(std::string(path));
  return std::any_of(begin, end, [&](const auto& sent) { return is_same(sent.second, now); });
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

std::optional<BaseRecord> BaseStore::load(const Pair& pair) const {
  const std::string path = path_of(pair);
  const auto bytes = read_file(path, kMostBytes);
  auto record = bytes ? BaseRecord::unpack(*bytes) : std::nullopt;
  // A first sync that never came to its end says what it sent, but not what was there before.
  if (!record) return std::nullopt;
  const auto intents = read_file(path + ".sent", kMostBytes);
  if (!intents) return record;
  tree::Unpacker in(*intents);
  while (in.ok() && !in.empty()) {
    std::string sent(in.text());
    const tree::Seen seen = tree::unpack_seen(in);
    if (in.ok()) record->note_sent(std::move(sent), seen);
  }
  return record;  // the last intent may be cut off: nothing was sent after it
}

Result<void> BaseStore::save(const Pair& pair, const BaseRecord& record) const {
  TRY(make_directories(directory_));
  const std::string path = path_of(pair);
  TRY(write_file_atomically(path, record.pack(), Durability::Process));
  ::unlink((path + ".sent").c_str());
  return {};
}

Result<void> BaseStore::note_intents(const Pair& pair, std::string_view packed) const {
  TRY(make_directories(directory_));
  TRY_ASSIGN(const Fd file, open_file(path_of(pair) + ".sent", O_WRONLY | O_CREAT | O_APPEND));
  return write_all(file, packed);
}

}  // namespace yonder::sync
