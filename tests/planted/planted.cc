#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace {

TEST(Planted, Passes) {}

TEST(Planted, PassesAndShowsAnothersSkip) {
  std::cout << "[  SKIPPED ] Another.Test" << std::endl;
}

// check.py has set them.
TEST(Planted, PassesWithoutWhatTheSessionHasSet) {
  for (const char* name : {"LC_ALL", "GIT_DIR", "BASH_ENV", "TMPDIR", "YONDER_CONFIG"}) {
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  }
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

TEST(Planted, FailsByLeaving) {
  std::exit(0);
}

}  // namespace
