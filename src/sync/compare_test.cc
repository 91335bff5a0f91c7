#include "sync/compare.h"

#include <gtest/gtest.h>

namespace yonder::sync {
namespace {

using tree::Entry;
using tree::Type;

constexpr std::uint64_t kMiB = 1024UL * 1024;

// What is to be done with a file of this size of which only the time is another one.
Compared with_another_time(std::uint64_t size) {
  const tree::Listing none;
  const PlanInput input{.source = none, .target = none};
  const PlanOptions options;
  const Entry source{.path = "a", .type = Type::File, .mode = 0644, .size = size, .mtime_ns = 900};
  Entry target = source;
  target.mtime_ns = 500;
  return Comparison(input, options).of(source, target);
}

TEST(Comparison, ReadsOnlyWhatIsWorthIt) {
  EXPECT_EQ(with_another_time(kMiB - 1), Compared::Differs);
  EXPECT_EQ(with_another_time(kMiB), Compared::Unclear);
  EXPECT_EQ(with_another_time(1024 * kMiB - 1), Compared::Unclear);
  EXPECT_EQ(with_another_time(1024 * kMiB), Compared::Differs);
}

}  // namespace
}  // namespace yonder::sync
