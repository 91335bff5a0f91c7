#include <gtest/gtest.h>

#include <iostream>

namespace {

TEST(Planted, Passes) {}

TEST(Planted, PassesAndShowsAnothersSkip) {
  std::cout << "[  SKIPPED ] Another.Test" << std::endl;
}

TEST(Planted, IsSkipped) {
  GTEST_SKIP() << "has a reason";
}

TEST(Planted, FailsAndShowsAnothersSkip) {
  std::cout << "[  SKIPPED ] Another.Test" << std::endl;
  FAIL() << "as planted";
}

TEST(Planted, FailsAndIsSkipped) {
  EXPECT_TRUE(false) << "as planted";
  GTEST_SKIP() << "too late";
}

}  // namespace
