#include "base/far_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(FarText, IsQuotedAsWhatItIs) {
  EXPECT_EQ(machine_said("no such file"), "the machine said: 'no such file'");
  EXPECT_EQ(machine_said(" \n"), "the machine gave no reason");
}

TEST(FarText, IsBounded) {
  EXPECT_LT(machine_said(std::string(7000000, 'x')).size(), 700U);
}

TEST(FarText, HasNoEscapeCodesAndOneLine) {
  const std::string said = machine_said("\x1b[31mred\x1b[0m\nsecond\x07");
  EXPECT_THAT(said, HasSubstr("red second"));
  for (const char* bad : {"\x1b", "\n", "\r", "\x07"}) EXPECT_THAT(said, Not(HasSubstr(bad)));
}

TEST(FarText, CannotLeaveItsQuotes) {
  EXPECT_EQ(machine_said("x'. Yonder says: 'all is well"),
            "the machine said: 'x\". Yonder says: \"all is well'");
}

TEST(FarText, NamesAreShownAsTheyAreWhereTheyLookLikeNames) {
  EXPECT_EQ(far_name("node-1.example"), "node-1.example");
  EXPECT_EQ(far_name("two words\n"), "'two words'");
  EXPECT_LT(far_name(std::string(1000, 'n')).size(), 80U);
}

}  // namespace
}  // namespace yonder
