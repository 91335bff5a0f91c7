#include "store/sighting.h"

#include <gtest/gtest.h>

namespace yonder::store {
namespace {

bool replaced(const char* known, const char* fresh, std::int64_t later_by) {
  return replaces({.state = fresh, .seen_ms = 1000 + later_by}, {.state = known, .seen_ms = 1000});
}

TEST(Sighting, OfTheSameFinalityReplacesOnlyAnOlderOne) {
  EXPECT_TRUE(replaced("queued", "running", 1));
  EXPECT_TRUE(replaced("running", "unknown", 1));
  EXPECT_TRUE(replaced("unknown", "running", 0));
  EXPECT_FALSE(replaced("running", "queued", -1));
  EXPECT_TRUE(replaced("exited", "exited", 5));
  EXPECT_FALSE(replaced("exited", "exited", -5));
}

TEST(Sighting, OfAnUnfinishedRunNeverReplacesAnEnd) {
  for (const char* end : {"exited", "signaled", "timed_out", "stopped", "lost"}) {
    for (const char* unfinished : {"queued", "running", "unknown", "a state of the future", ""}) {
      EXPECT_FALSE(replaced(end, unfinished, 100)) << end << " by " << unfinished;
      EXPECT_TRUE(replaced(unfinished, end, 1)) << unfinished << " by " << end;
    }
  }
}

TEST(Sighting, OfAnEndCountsEvenWhenTheClockWasBehind) {
  EXPECT_TRUE(replaced("running", "exited", -100));
  EXPECT_TRUE(replaced("unknown", "lost", -100));
}

TEST(Sighting, OfALostRunYieldsToProofButNeverReplacesIt) {
  EXPECT_TRUE(replaced("lost", "exited", -100));
  EXPECT_FALSE(replaced("exited", "lost", 100));
  EXPECT_FALSE(replaced("stopped", "lost", 100));
}

}  // namespace
}  // namespace yonder::store
