#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tree/entry.h"

namespace yonder::sync {

// What the target was when the last sync between two trees had ended: whatever differs from it now
// was changed there by somebody else.
class BaseRecord {
 public:
  // When the source was read then, by its clock.
  std::int64_t scanned_ns() const { return scanned_ns_; }
  // When this path of it was read last; nothing when no sync knows it.
  std::optional<std::int64_t> scanned_ns(std::string_view path) const;
  void set_scanned_ns(std::int64_t when) { scanned_ns_ = when; }

  const tree::Seen* find(std::string_view path) const;
  // Whether it is now what we know it to be, by the last sync or by one that was cut off since;
  // where it is, times have such steps.
  bool knows(std::string_view path, const tree::Seen& now, std::int64_t step = 1) const;
  // What a sync of a greater tree has left in this one. Whatever either knows is known.
  void also(BaseRecord other) { others_.push_back(std::move(other)); }
  // The part of it that lies below "a/b/", with the paths that it has from there. Nothing when that
  // directory was no part of the sync.
  std::optional<BaseRecord> below(std::string_view prefix) const;
  // Whether the record of its part below `prefix` has everything that was sent since.
  bool sent_only(const BaseRecord& part, std::string_view prefix) const;
  const std::unordered_map<std::string, tree::Seen>& entries() const { return entries_; }
  void note(const std::string& path, const tree::Seen& seen) { entries_[path] = seen; }
  void note_sent(std::string path, const tree::Seen& seen) { sent_.emplace(std::move(path), seen); }
  void forget(const std::string& path) { entries_.erase(path); }
  std::size_t size() const { return entries_.size(); }
  // Whatever else was sent since.
  bool same_entries(const BaseRecord& other) const {
    return entries_ == other.entries_ && sent_.empty();
  }

  std::string pack() const;
  static std::optional<BaseRecord> unpack(std::string_view bytes);

 private:
  std::int64_t scanned_ns_ = 0;
  std::unordered_map<std::string, tree::Seen> entries_;
  std::unordered_multimap<std::string, tree::Seen> sent_;
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
  // What was sent since is part of the record then, unless it is to be kept.
  enum class Sent { IsSettled, IsKept };
  Result<void> save(const Pair& pair, const BaseRecord& record, Sent sent = Sent::IsSettled) const;

  // Before files are sent: from now on this, too, is what the target may be.
  Result<void> note_intents(const Pair& pair, std::string_view packed) const;

 private:
  std::string path_of(const Pair& pair) const;
  void add_intents(const Pair& pair, BaseRecord& record) const;
  std::string directory_;
};

// For note_intents(), one after the other.
std::string pack_intent(const std::string& path, const tree::Seen& seen);

}  // namespace yonder::sync
