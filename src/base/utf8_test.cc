#include "base/utf8.h"

#include <gtest/gtest.h>

namespace yonder {
namespace {

TEST(Utf8, NamesAreShownSoThatTheyCanBeTurnedBack) {
  EXPECT_EQ(shown_name("plain"), "plain");
  EXPECT_EQ(shown_name("a\\xff"), "a\\xff") << "what is UTF-8 stays as it is";
  EXPECT_EQ(shown_name("a\\\xff\xc3\xa9"), "a\\\\\\xff\xc3\xa9");
  EXPECT_EQ(shown_name("new\nline"), "new\nline");
}

TEST(Utf8, BrokenTextIsRepairedAndCounted) {
  EXPECT_EQ(repair_utf8("caf\xe9!").text, "caf\xEF\xBF\xBD!");
  EXPECT_EQ(repair_utf8("caf\xe9!").replaced, 1U);
  EXPECT_EQ(repair_utf8("\x1b[31m\xc3\xa9").text, "\x1b[31m\xc3\xa9");
  EXPECT_EQ(repair_utf8("\xed\xa0\x80").replaced, 3U) << "half of a surrogate pair";
}

TEST(Utf8, ACharacterThatIsCutIsSeen) {
  EXPECT_EQ(unfinished_utf8(""), 0U);
  EXPECT_EQ(unfinished_utf8("a"), 0U);
  EXPECT_EQ(unfinished_utf8("\xc3\xa9"), 0U);
  EXPECT_EQ(unfinished_utf8("a\xc3"), 1U);
  EXPECT_EQ(unfinished_utf8("a\xe2\x82"), 2U);
  EXPECT_EQ(unfinished_utf8("\xf0\x9f\x98"), 3U);
  EXPECT_EQ(unfinished_utf8("\x80\x80\x80\x80"), 0U);
}

}  // namespace
}  // namespace yonder
