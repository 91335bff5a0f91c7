#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sync/base_record.h"
#include "sync/paths.h"
#include "tree/entry.h"

namespace yonder::sync {

// The record that follows another one. Its entries are taken over from that: nobody has room for
// two records of a large tree. Pure.
class NextRecord {
 public:
  NextRecord(std::optional<BaseRecord> before, std::int64_t scanned_ns);

  // A sync has brought this about, or found it to be so.
  void settle(std::string_view path, const Known& known);
  // It is there, and if it was not settled it is known as it was before; where it is, times have
  // such steps.
  void carry_over(const tree::Entry& entry, std::int64_t step);
  // A sync does not see what is at or below these paths: that is known as it was.
  void carry_over_below(const Paths& hidden);
  // As it is known by now, or was before.
  AgreedMode mode_of(std::string_view path, tree::Type type) const;
  const Known* find(std::string_view path) const;

  void set_mounts(std::vector<std::string> mounts);

  // Whether it says anything that the one before did not say.
  bool is_new() const;
  // What was not carried over is forgotten.
  BaseRecord take() { return std::move(record_); }

 private:
  void carry(std::string_view path, const Known& known);

  BaseRecord before_;  // what has not been taken over
  BaseRecord record_;
  bool new_ = false;
};

}  // namespace yonder::sync
