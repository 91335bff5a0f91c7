#include "cli/tilde_hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::cli {
namespace {

using ::testing::HasSubstr;

TEST(TildeHint, IsForPathsThatBeginWithTheHomeDirectoryOfThisMachine) {
  EXPECT_THAT(tilde_hint("/home/me/exp", "/home/me"), HasSubstr("NAME:~/exp"));
  EXPECT_THAT(tilde_hint("/home/me", "/home/me"), HasSubstr("'~' in quotes"));
  EXPECT_EQ(tilde_hint("/home/meg/exp", "/home/me"), "");
  EXPECT_EQ(tilde_hint("~/exp", "/home/me"), "");
  EXPECT_EQ(tilde_hint("/exp", "/"), "");
  EXPECT_EQ(tilde_hint("/exp", ""), "");
}

TEST(TildeHint, IsGivenWhenSomethingIsNotThere) {
  const Error missing = with_tilde_hint({Errc::NotFound, "m", "h"}, "/home/me/x", "/home/me");
  EXPECT_EQ(missing.message, "m");
  EXPECT_THAT(missing.hint, HasSubstr("h; '/home/me' is the home directory"));
  EXPECT_EQ(with_tilde_hint({Errc::Unreachable, "m", "h"}, "/home/me/x", "/home/me").hint, "h");
}

}  // namespace
}  // namespace yonder::cli
