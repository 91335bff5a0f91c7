#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tree/entry.h"

namespace yonder::sync {

// Finds a path without making a string of it.
struct PathHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view path) const {
    return std::hash<std::string_view>{}(path);
  }
};

// The permissions that both ends of a sync had; nothing when they differed, or are not known.
using AgreedMode = std::optional<std::uint32_t>;
// The hash of a file; nothing when no sync has read it as a whole.
using Contents = std::optional<tree::Hash>;

// One entry of the target. Of a file also the time that the source had then: one of the two ends
// may keep times less exactly.
struct Known {
  // NOLINTNEXTLINE(google-explicit-constructor): mostly both have the same.
  Known(const tree::Seen& as_seen) : seen(as_seen), source_ns(as_seen.mtime_ns) {}
  Known(const tree::Seen& as_seen, std::int64_t in_source, AgreedMode of_both = {},
        Contents read = {})
      : seen(as_seen), source_ns(in_source), mode(of_both), contents(read) {}
  tree::Seen seen;
  std::int64_t source_ns;
  AgreedMode mode;
  Contents contents;
  // When the source was changed last, as its file system says, the last time that both ends were
  // seen to have its extended attributes. 0: no sync has looked.
  std::int64_t changed_ns = 0;
  bool operator==(const Known&) const = default;
};

// What the target was when the last sync between two trees had ended: whatever differs from it now
// was changed there by somebody else.
class BaseRecord {
 public:
  using Entries = std::unordered_map<std::string, Known, PathHash, std::equal_to<>>;
  using Sent = std::unordered_multimap<std::string, Known, PathHash, std::equal_to<>>;

  // When the source was read then, by its clock.
  std::int64_t scanned_ns() const { return scanned_ns_; }
  // When this path of it was read last; nothing when no sync knows it.
  std::optional<std::int64_t> scanned_ns(std::string_view path) const;
  void set_scanned_ns(std::int64_t when) { scanned_ns_ = when; }
  // This path of it was not read then, but at that time. Kept only where it matters: where the time
  // of the file does not tell whether it has changed since.
  void read_earlier(std::string_view path, std::int64_t when);

  const Known* find(std::string_view path) const;
  // What we know it to be, by the last sync or by one that was cut off since, if it is that now;
  // where it is, times have such steps.
  const Known* matching(std::string_view path, const tree::Seen& now, std::int64_t step) const;
  bool knows(std::string_view path, const tree::Seen& now, std::int64_t step = 1) const {
    return matching(path, now, step) != nullptr;
  }
  // Whether a file of this size may be one that we know, with a new time; and whether one with
  // these contents is.
  bool may_be_touched(std::string_view path, const tree::Seen& now) const;
  bool has_contents(std::string_view path, const tree::Seen& now, const tree::Hash& hash) const;
  // Both ends had the extended attributes of the source when it was changed last.
  bool has_attributes_of(std::string_view path, std::int64_t changed_ns) const;
  // Of most entries that is known.
  bool knows_attributes() const;
  // By the sync that looked there last; nothing when it was something of another type.
  AgreedMode mode_of(std::string_view path, tree::Type type) const;
  // Whether a sync that was cut off since may have given it this mode.
  bool may_have_given(std::string_view path, std::uint32_t mode) const;
  // Directories of the source that were file systems of their own; "" is its root.
  std::vector<std::string> mounts() const;
  void set_mounts(std::vector<std::string> mounts) { mounts_ = std::move(mounts); }
  // What a sync of a greater tree has left in this one. Whatever either knows is known.
  void also(BaseRecord other) { others_.push_back(std::move(other)); }
  // The part of it that lies below "a/b/", with the paths that it has from there. Nothing when that
  // directory was no part of the sync.
  std::optional<BaseRecord> below(std::string_view prefix) const;
  const Entries& entries() const { return entries_; }
  // Of syncs that did not come to their end.
  const Sent& sent() const { return sent_; }
  // These say whether that is new.
  bool note(std::string_view path, const Known& as_known);
  bool forget(std::string_view path);
  // Takes it out of another record, as it is noted there; that may have none.
  void take(BaseRecord& other, std::string_view path);
  void note_sent(std::string path, const Known& known) { sent_.emplace(std::move(path), known); }
  bool forget_sent(std::string_view path);
  std::size_t size() const { return entries_.size(); }

  std::string pack() const;
  static std::optional<BaseRecord> unpack(std::string_view bytes);

 private:
  const Known* file_of_size(std::string_view path, const tree::Seen& now) const;
  std::int64_t scanned_ns_ = 0;
  std::vector<std::string> mounts_;
  Entries entries_;
  std::unordered_map<std::string, std::int64_t, PathHash, std::equal_to<>> read_earlier_;
  Sent sent_;                       // packed by itself
  std::vector<BaseRecord> others_;  // not part of what is packed
};

// The two trees: which machine, which directories, which way.
struct Pair {
  std::string machine;  // a name that stays: the sandbox's
  std::string local_root;
  std::string remote_root;
  bool push = true;
};

// A pair of trees that hold those of another pair at the same place: "b/" for /x/a and /y/a when
// the other is /x/a/b and /y/a/b.
struct Ancestor {
  Pair pair;
  std::string prefix;  // of the other's paths; "" or with a slash at its end
};
// Pure, the nearest first. With `single_file`, the last names of the roots are a file's, and its
// paths begin with its name.
std::vector<Ancestor> ancestors_of(const Pair& pair, bool single_file);

// On this machine: one file per pair, and beside it what was sent since, so that a sync that was
// killed in the middle does not take its own files for somebody else's.
class BaseStore {
 public:
  explicit BaseStore(std::string directory) : directory_(std::move(directory)) {}

  // Nothing when there was no sync yet. A file that cannot be understood is none.
  std::optional<BaseRecord> load(const Pair& pair) const;
  // With what the syncs of greater trees know of it.
  std::optional<BaseRecord> load(const Pair& pair, const std::vector<Ancestor>& ancestors) const;
  bool has(const Pair& pair) const;
  // Of what was sent since, only what the record still has is remembered.
  Result<void> save(const Pair& pair, const BaseRecord& record) const;

  // The directories that a sync was about to make, or to give another mode, and that did not come
  // to its end.
  std::set<std::string, std::less<>> begun_directories(const Pair& pair) const;

  // Before files are sent: from now on this, too, is what the target may be.
  Result<void> note_intents(const Pair& pair, std::string_view packed) const;

 private:
  std::string path_of(const Pair& pair) const;
  void add_intents(const Pair& pair, BaseRecord& record) const;
  std::string directory_;
};

// For note_intents(), one after the other.
std::string pack_intent(const std::string& path, const Known& known);

}  // namespace yonder::sync
