#include <gtest/gtest.h>

#include "sync/copy.h"

namespace yonder::sync {
namespace {

TEST(LinksWorthIt, FarAwayThereAreAlwaysSeveral) {
  EXPECT_EQ(links_worth_it(false, 1), 4);
  EXPECT_EQ(links_worth_it(false, 64), 4);
}

TEST(LinksWorthIt, NearbyThereAreNoMoreThanTheProcessorsBear) {
  EXPECT_EQ(links_worth_it(true, 0), 1) << "it is not known how many there are";
  EXPECT_EQ(links_worth_it(true, 2), 1);
  EXPECT_EQ(links_worth_it(true, 4), 2);
  EXPECT_EQ(links_worth_it(true, 64), 4);
}

}  // namespace
}  // namespace yonder::sync
