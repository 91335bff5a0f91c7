#include "tree/entry.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "tree/beneath.h"

namespace yonder::tree {
namespace {

constexpr std::int64_t kNanoseconds = 1000000000;
// Beyond the years 1678 to 2262 all times are one.
constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / kNanoseconds - 10;
constexpr std::uint64_t kHashed = 1;
constexpr std::uint64_t kHasTwins = 2;
constexpr std::uint64_t kHasAttributes = 4;
constexpr std::uint64_t kHasMore = 8;
constexpr std::uint64_t kUnread = 16;
constexpr std::uint64_t kHasChanged = 32;
constexpr unsigned kExtraBits = 6;
constexpr std::size_t kLongestAttributeName = 255;
constexpr std::string_view kUserPrefix = "user.";

std::size_t shared_beginning(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

// A slash ends a name, so it comes before every other byte.
unsigned rank(char c) {
  return c == '/' ? 0U : static_cast<unsigned char>(c) + 1U;
}

std::int64_t in_nanoseconds(const timespec& time) {
  const std::int64_t seconds = std::clamp(std::int64_t{time.tv_sec}, -kMostSeconds, kMostSeconds);
  return countable(seconds * kNanoseconds + time.tv_nsec);
}

}  // namespace

std::int64_t countable(std::int64_t mtime_ns) {
  return std::clamp(mtime_ns, -kMostSeconds * kNanoseconds, kMostSeconds * kNanoseconds);
}

std::int64_t mtime_of(const struct stat& info) {
#ifdef __APPLE__
  return in_nanoseconds(info.st_mtimespec);
#else
  return in_nanoseconds(info.st_mtim);
#endif
}

std::int64_t ctime_of(const struct stat& info) {
#ifdef __APPLE__
  return in_nanoseconds(info.st_ctimespec);
#else
  return in_nanoseconds(info.st_ctim);
#endif
}

Type type_of(const struct stat& info) {
  if (S_ISREG(info.st_mode)) return Type::File;
  if (S_ISDIR(info.st_mode)) return Type::Directory;
  if (S_ISLNK(info.st_mode)) return Type::Link;
  return Type::Special;
}

std::string_view name_of(Type type) {
  switch (type) {
    case Type::File: return "a file";
    case Type::Directory: return "a directory";
    case Type::Link: return "a link";
    case Type::Special: break;
  }
  return "neither a file nor a directory";
}

bool comes_before(std::string_view a, std::string_view b) {
  const std::size_t n = shared_beginning(a, b);
  if (n == a.size() || n == b.size()) return a.size() < b.size();
  return rank(a[n]) < rank(b[n]);
}

void EntryPacker::add(const Entry& entry) {
  const std::size_t shared = shared_beginning(last_, entry.path);
  out_.number(shared).text(std::string_view(entry.path).substr(shared));
  const std::uint64_t extras =
      (entry.hash ? kHashed : 0) | (entry.twins != 0 ? kHasTwins : 0) |
      (entry.attributes.empty() ? 0 : kHasAttributes) | (entry.has_more ? kHasMore : 0) |
      (entry.attributes_unread ? kUnread : 0) | (entry.changed_ns != 0 ? kHasChanged : 0);
  out_.number(static_cast<std::uint64_t>(entry.type) << kExtraBits | extras);
  out_.number(entry.mode);
  out_.integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(entry.mtime_ns) -
                                         static_cast<std::uint64_t>(last_mtime_)));
  if (entry.type == Type::File) out_.number(entry.size);
  if (entry.type == Type::Link) out_.text(entry.target);
  if (entry.twins != 0) out_.number(entry.twins);
  if (entry.hash) out_.number(entry.hash->low).number(entry.hash->high);
  if (!entry.attributes.empty()) pack(out_, entry.attributes);
  if (entry.changed_ns != 0) {
    out_.integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(entry.changed_ns) -
                                           static_cast<std::uint64_t>(last_changed_)));
    last_changed_ = entry.changed_ns;
  }
  last_ = entry.path;
  last_mtime_ = entry.mtime_ns;
  spread_ += entry.path.size();
}

std::string EntryPacker::take() {
  last_.clear();
  last_mtime_ = 0;
  last_changed_ = 0;
  spread_ = 0;
  return out_.take();
}

std::optional<std::vector<Entry>> unpack_entries(std::string_view bytes) {
  Unpacker in(bytes);
  std::vector<Entry> entries;
  std::string last;
  std::int64_t last_mtime = 0;
  std::int64_t last_changed = 0;
  std::size_t spread = 0;
  while (in.ok() && !in.empty()) {
    Entry entry;
    const std::uint64_t shared = in.number();
    const std::string_view rest = in.text();
    if (shared > last.size()) return std::nullopt;
    spread += shared + rest.size();
    if (spread > kMostSpread) return std::nullopt;
    entry.path = last.substr(0, shared);
    entry.path += rest;
    if (!check_relative(entry.path)) return std::nullopt;
    const std::uint64_t kind = in.number();
    if (kind >> kExtraBits > static_cast<std::uint64_t>(Type::Special)) return std::nullopt;
    entry.type = static_cast<Type>(kind >> kExtraBits);
    entry.mode = static_cast<std::uint32_t>(in.number() & 01777U);
    last_mtime = static_cast<std::int64_t>(static_cast<std::uint64_t>(last_mtime) +
                                           static_cast<std::uint64_t>(in.integer()));
    entry.mtime_ns = countable(last_mtime);
    if (entry.type == Type::File) entry.size = in.number();
    if (entry.type == Type::Link) entry.target = in.text();
    if ((kind & kHasTwins) != 0) entry.twins = in.number();
    if ((kind & kHashed) != 0) {
      const std::uint64_t low = in.number();
      entry.hash = Hash{.low = low, .high = in.number()};
    }
    if ((kind & kHasAttributes) != 0) entry.attributes = unpack_attributes(in);
    entry.has_more = (kind & kHasMore) != 0;
    entry.attributes_unread = (kind & kUnread) != 0;
    if ((kind & kHasChanged) != 0) {
      last_changed = static_cast<std::int64_t>(static_cast<std::uint64_t>(last_changed) +
                                               static_cast<std::uint64_t>(in.integer()));
      entry.changed_ns = countable(last_changed);
    }
    if (!in.ok()) return std::nullopt;
    last = entry.path;
    entries.push_back(std::move(entry));
  }
  if (!in.ok()) return std::nullopt;
  return entries;
}

bool is_user_attribute(std::string_view name) {
  return name.starts_with(kUserPrefix) && name.size() > kUserPrefix.size() &&
         name.size() <= kLongestAttributeName && name.find('\0') == std::string_view::npos;
}

bool has_all(const UserAttributes& those, const UserAttributes& these) {
  return std::all_of(these.begin(), these.end(), [&](const UserAttribute& one) {
    return std::find(those.begin(), those.end(), one) != those.end();
  });
}

void pack(Packer& out, const UserAttributes& attributes) {
  out.number(attributes.size());
  for (const auto& [name, value] : attributes) out.text(name).text(value);
}

// What is not one of user.* could give a file rights that its owner does not know of.
UserAttributes unpack_attributes(Unpacker& in) {
  UserAttributes attributes;
  std::size_t bytes = 0;
  const std::uint64_t count = in.number();
  if (count > kMostAttributes) in.reject();
  while (in.ok() && attributes.size() < count) {
    const std::string_view name = in.text();
    const std::string_view value = in.text();
    bytes += name.size() + value.size();
    if (!is_user_attribute(name) || bytes > kMostAttributeBytes) in.reject();
    attributes.push_back({std::string(name), std::string(value)});
  }
  return in.ok() ? attributes : UserAttributes();
}

Seen seen_as(const Entry& entry) {
  return {.exists = true, .type = entry.type, .size = entry.size, .mtime_ns = entry.mtime_ns};
}

void pack(Packer& out, const Seen& seen) {
  out.number(seen.exists ? 1 + static_cast<std::uint64_t>(seen.type) : 0);
  if (!seen.exists) return;
  out.number(seen.size).integer(seen.mtime_ns);
}

Seen unpack_seen(Unpacker& in) {
  const std::uint64_t kind = in.number();
  if (kind > 4) in.reject();
  if (kind == 0 || !in.ok()) return {};
  Seen seen{.exists = true, .type = static_cast<Type>(kind - 1)};
  seen.size = in.number();
  seen.mtime_ns = countable(in.integer());
  return seen;
}

}  // namespace yonder::tree
