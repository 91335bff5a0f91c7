#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tree/entry.h"
#include "tree/messages.h"
#include "tree/scan.h"
#include "tree/stream.h"

namespace yonder::tree {

// Both lists on their way, in pieces.
class ListSender {
 public:
  explicit ListSender(BlockWriter& out) : out_(out) {}
  void add(const Entry& entry) {
    entries_.add(entry);
    if (entries_.is_full(kListAtOnce)) flush_entries();
  }
  void add(Skip&& skip) {
    skip_bytes_ += skip.path.size() + skip.detail.size() + 8;
    skips_.push_back(std::move(skip));
    if (skip_bytes_ >= kListAtOnce) flush_skips();
  }
  void add_temporary(std::string&& path) {
    temporary_bytes_ += path.size() + 8;
    temporaries_.push_back(std::move(path));
    if (temporary_bytes_ >= kListAtOnce) flush_temporaries();
  }
  void add_ignore_file(const std::string& directory, const std::string& content) {
    // What it names must not be deleted in the target.
    note(send_raw(out_, Kind::IgnoreFiles, pack_texts({directory, content})));
  }
  // There are few of them.
  void add_mount(const std::string& path) {
    note(send_raw(out_, Kind::Mounts, pack_texts({path})));
  }
  Result<void> finish() {
    flush_entries();
    flush_skips();
    flush_temporaries();
    return outcome_;
  }
  bool failed() const { return !outcome_; }

 private:
  static constexpr std::size_t kListAtOnce = 128UL * 1024;

  void note(Result<void> sent) {
    if (!sent && outcome_) outcome_ = std::move(sent);
  }
  void flush_entries() {
    if (entries_.size() > 0) note(send_raw(out_, Kind::Entries, entries_.take()));
  }
  void flush_skips() {
    if (!skips_.empty()) note(send_raw(out_, Kind::Skips, pack_skips(std::exchange(skips_, {}))));
    skip_bytes_ = 0;
  }
  void flush_temporaries() {
    if (temporaries_.empty()) return;
    note(send_raw(out_, Kind::Temporaries, pack_texts(std::exchange(temporaries_, {}))));
    temporary_bytes_ = 0;
  }

  BlockWriter& out_;
  EntryPacker entries_;
  std::vector<Skip> skips_;
  std::size_t skip_bytes_ = 0;
  std::vector<std::string> temporaries_;
  std::size_t temporary_bytes_ = 0;
  Result<void> outcome_;
};

}  // namespace yonder::tree
