#pragma once

#include <cstdint>
#include <vector>

#include "tree/entry.h"

namespace yonder::sync {

// Pure. File systems keep times in steps of so many nanoseconds: the greatest that all of these
// fit, which may be greater than that of the file system.
std::int64_t time_step_of(const std::vector<tree::Entry>& entries);

// The time of a file whose time was `time` before it was copied to where times have such steps.
std::int64_t as_kept(std::int64_t time_ns, std::int64_t step);

// Of both ends. One end may keep times less exactly than the other.
struct TimeSteps {
  std::int64_t source = 1;
  std::int64_t target = 1;
  bool same(std::int64_t source_ns, std::int64_t target_ns) const {
    return source_ns == target_ns || as_kept(source_ns, target) == target_ns ||
           as_kept(target_ns, source) == source_ns;
  }
};

}  // namespace yonder::sync
