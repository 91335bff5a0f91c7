#include "sync/times.h"

#include <gtest/gtest.h>

namespace yonder::sync {
namespace {

constexpr std::int64_t kSecond = 1000000000;

std::int64_t step_of(const std::vector<std::int64_t>& times) {
  std::vector<tree::Entry> entries;
  for (const std::int64_t time : times) entries.push_back({.path = "f", .mtime_ns = time});
  return time_step_of(entries);
}

TEST(TimeSteps, AreAsGreatAsAllTimesAllow) {
  EXPECT_EQ(step_of({}), 1);
  EXPECT_EQ(step_of({123456789}), 1);
  EXPECT_EQ(step_of({4 * kSecond, 123456700}), 100);
  EXPECT_EQ(step_of({4 * kSecond, 1230000000}), kSecond / 100);
  EXPECT_EQ(step_of({4 * kSecond, 5 * kSecond}), kSecond);
  EXPECT_EQ(step_of({4 * kSecond, -6 * kSecond}), 2 * kSecond);
}

TEST(TimeSteps, ATimeIsTheSameWhenTheOtherEndCannotKeepItBetter) {
  const TimeSteps to_coarse{.source = 1, .target = 2 * kSecond};
  EXPECT_TRUE(to_coarse.same(5 * kSecond + 7, 4 * kSecond));
  EXPECT_TRUE(to_coarse.same(-7, -2 * kSecond));
  EXPECT_FALSE(to_coarse.same(4 * kSecond, 6 * kSecond));
  const TimeSteps from_coarse{.source = kSecond, .target = 1};
  EXPECT_TRUE(from_coarse.same(5 * kSecond, 5 * kSecond + 7));
}

TEST(TimeSteps, WhereBothEndsKeepThemExactlyNothingIsRounded) {
  const TimeSteps exact;
  EXPECT_TRUE(exact.same(4 * kSecond, 4 * kSecond));
  EXPECT_FALSE(exact.same(4 * kSecond, 4 * kSecond + 1));
  EXPECT_FALSE(exact.same(4 * kSecond + 1, 4 * kSecond));
}

}  // namespace
}  // namespace yonder::sync
