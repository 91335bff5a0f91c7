#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tree/hash.h"
#include "tree/pack.h"

struct stat;

namespace yonder::tree {

enum class Type : std::uint8_t { File, Directory, Link, Special };

// An extended attribute that a sync keeps: one of user.*
struct UserAttribute {
  std::string name;
  std::string value;
  bool operator==(const UserAttribute&) const = default;
};
using UserAttributes = std::vector<UserAttribute>;  // by name
// What is more belongs to no list: a file has so many at most, and so many bytes of them.
inline constexpr std::size_t kMostAttributes = 64;
inline constexpr std::size_t kMostAttributeBytes = 16UL * 1024;
bool is_user_attribute(std::string_view name);
// Whether each of these is among those, with the same value.
bool has_all(const UserAttributes& those, const UserAttributes& these);
void pack(Packer& out, const UserAttributes& attributes);
UserAttributes unpack_attributes(Unpacker& in);

// One thing in a tree, as it was seen.
struct Entry {
  std::string path;  // below the root, bytes as they are; never empty
  Type type = Type::File;
  std::uint32_t mode = 0;  // permission bits
  std::uint64_t size = 0;  // of files
  std::int64_t mtime_ns = 0;
  std::string target;        // of links
  std::uint64_t twins = 0;   // files of the same number are hard links to one; 0: alone
  std::optional<Hash> hash;  // where it was asked for
  UserAttributes attributes;
  bool has_more = false;           // attributes that no sync keeps, such as an access control list
  bool attributes_unread = false;  // they were not looked for
  // When anything but its access time was changed last; 0: not asked. Another one is the only sign
  // of other attributes.
  std::int64_t changed_ns = 0;
  bool operator==(const Entry&) const = default;
};

// The nearest time that one can count with: between the years 1678 and 2262, and a few seconds from
// what does not fit into a number any more.
std::int64_t countable(std::int64_t mtime_ns);
// Nanoseconds since the epoch; before 1970 it is negative.
std::int64_t mtime_of(const struct stat& info);
std::int64_t ctime_of(const struct stat& info);
Type type_of(const struct stat& info);
// "a file", "a directory", "a link", "neither a file nor a directory".
std::string_view name_of(Type type);

// The order of a scan: names by their bytes, what is in a directory right after it.
bool comes_before(std::string_view a, std::string_view b);

// Few packed bytes can stand for many long paths: so much of them in one list, and never more.
inline constexpr std::size_t kFullSpread = 8UL * 1024 * 1024;
inline constexpr std::size_t kMostSpread = 2 * kFullSpread;

// Lists are packed one entry after the other: paths share their beginnings.
class EntryPacker {
 public:
  void add(const Entry& entry);
  std::size_t size() const { return out_.size(); }
  // Such a list is to be taken before it gets more: `at_most` bytes, and no more than
  // unpack_entries() believes.
  bool is_full(std::size_t at_most) const { return size() >= at_most || spread_ >= kFullSpread; }
  std::string take();

 private:
  Packer out_;
  std::string last_;
  std::int64_t last_mtime_ = 0;
  std::int64_t last_changed_ = 0;
  std::size_t spread_ = 0;  // all paths, written out
};
// Each path is checked; their order is not. Nothing when the bytes are not such a list.
std::optional<std::vector<Entry>> unpack_entries(std::string_view bytes);

// What a target was when it was looked at. A writer takes its place only if it still is that.
struct Seen {
  bool exists = false;
  Type type = Type::File;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const Seen&) const = default;
};
Seen seen_as(const Entry& entry);
void pack(Packer& out, const Seen& seen);
Seen unpack_seen(Unpacker& in);

}  // namespace yonder::tree
