#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "tree/entry.h"

namespace yonder::sync {

// What the target was when the last sync between two trees had ended: whatever differs from it now
// was changed there by somebody else.
class BaseRecord {
 public:
  // When the source was read then, by its clock.
  std::int64_t scanned_ns() const { return scanned_ns_; }
  void set_scanned_ns(std::int64_t when) { scanned_ns_ = when; }

  const tree::Seen* find(std::string_view path) const;
  // Whether it is now what we know it to be, by the last sync or by one that was cut off since.
  bool knows(std::string_view path, const tree::Seen& now) const;
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
};

// One end may keep times less exactly than the other.
bool same_time(std::int64_t a_ns, std::int64_t b_ns);

// The two trees: which machine, which directories, which way.
struct Pair {
  std::string machine;  // a name that stays: the sandbox's
  std::string local_root;
  std::string remote_root;
  bool push = true;
};

// On this machine: one file per pair, and beside it what was sent since, so that a sync that was
// killed in the middle does not take its own files for somebody else's.
class BaseStore {
 public:
  explicit BaseStore(std::string directory) : directory_(std::move(directory)) {}

  // Nothing when there was no sync yet. A file that cannot be understood is none.
  std::optional<BaseRecord> load(const Pair& pair) const;
  Result<void> save(const Pair& pair, const BaseRecord& record) const;

  // Before files are sent: from now on this, too, is what the target may be.
  Result<void> note_intents(const Pair& pair, std::string_view packed) const;

 private:
  std::string path_of(const Pair& pair) const;
  std::string directory_;
};

// For note_intents(), one after the other.
std::string pack_intent(const std::string& path, const tree::Seen& seen);

}  // namespace yonder::sync
