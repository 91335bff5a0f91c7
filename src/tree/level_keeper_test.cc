#include "tree/level_keeper.h"

#include <gtest/gtest.h>

namespace yonder::tree {
namespace {

using namespace std::chrono_literals;

constexpr double kMegabytes = 1e6;
// 240 MB a second, to a third.
constexpr Weighed kText{.plain = 240000, .stored = 80000, .taken = 1ms};

TEST(CompressingPays, OverALinkThatIsSlowerThanTheCompressor) {
  EXPECT_TRUE(compressing_pays(kText, 12 * kMegabytes));
  EXPECT_TRUE(compressing_pays(kText, 118 * kMegabytes));
}

TEST(CompressingPays, NotWhenTheLinkTakesNearlyAsMuchAsTheCompressorGives) {
  EXPECT_FALSE(compressing_pays(kText, 200 * kMegabytes));
  EXPECT_FALSE(compressing_pays(kText, 2000 * kMegabytes));
}

TEST(CompressingPays, NotForWhatHardlyGetsSmaller) {
  EXPECT_FALSE(
      compressing_pays({.plain = 240000, .stored = 200000, .taken = 1ms}, 12 * kMegabytes));
}

TEST(CompressingPays, AlsoWhenTheClockSawNoTimePass) {
  EXPECT_TRUE(compressing_pays({.plain = 240000, .stored = 80000, .taken = 0ms}, kMegabytes));
}

}  // namespace
}  // namespace yonder::tree
