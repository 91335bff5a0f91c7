#include "base/home_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder {
namespace {

TEST(HomePath, ATildeIsTheHomeDirectory) {
  EXPECT_EQ(*expand_tilde("~", "/h"), "/h");
  EXPECT_EQ(*expand_tilde("~/x/~", "/h"), "/h/x/~");
  EXPECT_EQ(*expand_tilde("/x", ""), "/x");
  EXPECT_EQ(*expand_tilde("./~x", ""), "./~x");
  EXPECT_EQ(*path_from_home("x", "", "/h"), "/h/x");
  EXPECT_EQ(*path_from_home("x", "/b", "/h"), "/b/x");
  EXPECT_EQ(*path_from_home("~/x", "/b", "/h"), "/h/x");
}

TEST(HomePath, WithoutAHomeNothingBecomesAPathOfTheRoot) {
  for (const char* path : {"~", "~/", "~/x", "x", "./x", ""}) {
    const auto whole = path_from_home(path, "", "");
    ASSERT_FALSE(whole) << path << " became " << *whole;
    EXPECT_EQ(whole.error().code, Errc::InvalidArgument);
    EXPECT_THAT(whole.error().message, ::testing::HasSubstr("HOME is not set"));
  }
  EXPECT_FALSE(expand_tilde("~/x", ""));
  EXPECT_EQ(*path_from_home("x", "/b", ""), "/b/x");
}

TEST(HomePath, HomesOfOthersAreNotLookedUp) {
  EXPECT_FALSE(expand_tilde("~root/x", "/h"));
  EXPECT_FALSE(path_from_home("~root", "/b", "/h"));
}

}  // namespace
}  // namespace yonder
