#pragma once

#include <cstdint>
#include <vector>

#include "tree/entry.h"

namespace yonder::sync {

// Two changes within one tick of a file system's clock have the same time.
inline constexpr std::int64_t kFineTick = 20LL * 1000 * 1000;
inline constexpr std::int64_t kCoarseTick = 2LL * 1000 * 1000 * 1000;

// Pure. File systems keep times in steps of so many nanoseconds: the greatest that all of these
// fit, which may be greater than that of the file system.
std::int64_t time_step_of(const std::vector<tree::Entry>& entries);

// The time of a file whose time was `time` before it was copied to where times have such steps.
std::int64_t as_kept(std::int64_t time_ns, std::int64_t step);

// Whether a file whose time was `exact` may have the time `now` where times have such steps.
inline bool is_kept_as(std::int64_t exact_ns, std::int64_t now_ns, std::int64_t step) {
  return exact_ns == now_ns || as_kept(exact_ns, step) == now_ns;
}

// Of both ends. One end may keep times less exactly than the other.
struct TimeSteps {
  std::int64_t source = 1;
  std::int64_t target = 1;
  bool same(std::int64_t source_ns, std::int64_t target_ns) const {
    return is_kept_as(source_ns, target_ns, target) || is_kept_as(target_ns, source_ns, source);
  }
};

}  // namespace yonder::sync
