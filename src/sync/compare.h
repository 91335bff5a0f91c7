#pragma once

#include <cstdint>

#include "sync/plan.h"
#include "sync/times.h"

namespace yonder::sync {

enum class Compared : std::uint8_t { Same, OnlyAttributes, Differs, Unclear };

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
  // Nobody knows who changed what: then the newer one is not given up for the older.
  bool is_newer_there(const tree::Entry& source, const tree::Entry& target) const;
  bool changed_by_others(const tree::Entry& target) const;

 private:
  Compared of_files(const tree::Entry& source, const tree::Entry& target) const;
  bool may_have_changed_within_a_tick(const tree::Entry& source, bool coarse) const;
  bool is_as_settled(const tree::Entry& source, const tree::Entry& target) const;

  const PlanInput& input_;
  const PlanOptions& options_;
  TimeSteps steps_;
};

}  // namespace yonder::sync
