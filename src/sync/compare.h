#pragma once

#include <cstdint>
#include <string_view>

#include "sync/plan.h"
#include "sync/times.h"

namespace yonder::sync {

enum class Compared : std::uint8_t { Same, OnlyAttributes, ModesConflict, Differs, Unclear };

// Permissions that differ: which of them the target is to have.
enum class ModeChange : std::uint8_t {
  None,        // they do not differ
  TakeSource,  // changed in the source only
  Overrule,    // changed in the target, where the source's was asked for
  KeepTarget,  // changed in the target only, or not a sync's to set
  Conflict,    // changed at both ends
};
struct BothModes {
  std::string_view path;
  tree::Type type = tree::Type::File;
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  bool ours = true;  // it gets the source's where no sync has known both to be the same
};
inline bool takes_source(ModeChange change) {
  return change == ModeChange::TakeSource || change == ModeChange::Overrule;
}

// What both ends have under one name. Pure.
class Comparison {
 public:
  Comparison(const PlanInput& input, const PlanOptions& options)
      : input_(input),
        options_(options),
        steps_{time_step_of(input.source.entries), time_step_of(input.target.entries)} {}

  // Neither is a directory.
  Compared of(const tree::Entry& source, const tree::Entry& target) const;
  bool same_time(std::int64_t source_ns, std::int64_t target_ns) const {
    return steps_.same(source_ns, target_ns);
  }
  // What the target has besides stays.
  bool same_attributes(const tree::Entry& source, const tree::Entry& target) const {
    return !input_.keeps_attributes || tree::has_all(target.attributes, source.attributes);
  }
  // No sync has read them, and they may not be what they were.
  bool may_have_other_attributes(const tree::Entry& source) const {
    const bool as_then =
        input_.base != nullptr && input_.base->has_attributes_of(source.path, source.changed_ns);
    return source.attributes_unread && !as_then;
  }
  // Nobody knows who changed what: then the newer one is not given up for the older.
  bool is_newer_there(const tree::Entry& source, const tree::Entry& target) const;
  // Another time alone is no change: contents decide, where they are known.
  bool changed_by_others(const tree::Entry& target) const;
  // Whether that cannot be told before the target's contents were read.
  bool wants_contents(const tree::Entry& target) const;
  ModeChange of_modes(const BothModes& both) const;
  // A file gets the mode of the source where nothing is known.
  ModeChange of_file_modes(const tree::Entry& source, const tree::Entry& target) const {
    return of_modes({source.path, source.type, source.mode, target.mode});
  }

 private:
  Compared of_files(const tree::Entry& source, const tree::Entry& target) const;
  Compared of_same_contents(const tree::Entry& source, const tree::Entry& target) const;
  bool would_stop(const tree::Entry& source, const tree::Entry& target) const;
  bool may_have_changed_within_a_tick(const tree::Entry& source, bool coarse) const;
  bool is_known(const tree::Entry& target) const;
  bool is_as_settled(const tree::Entry& source, const tree::Entry& target) const;

  const PlanInput& input_;
  const PlanOptions& options_;
  TimeSteps steps_;
};

}  // namespace yonder::sync
