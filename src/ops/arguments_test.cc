#include "ops/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;

TEST(Arguments, GivesWhatIsThereAndOtherwiseTheDefault) {
  const Json json{{"text", "t"}, {"flag", true}, {"number", 2.5}, {"texts", {{"A", "1"}}}};
  Arguments in(json);
  EXPECT_EQ(in.text("text", "x"), "t");
  EXPECT_TRUE(in.flag("flag", false));
  EXPECT_EQ(in.number("number", 1, 0, 10), 2.5);
  EXPECT_EQ(in.texts("texts").at("A"), "1");
  EXPECT_EQ(in.text("no_text", "x"), "x");
  EXPECT_EQ(in.optional_text("no_text_at_all"), std::nullopt);
  EXPECT_TRUE(in.flag("no_flag", true));
  EXPECT_EQ(in.number("no_number", 7, 0, 1), 7);
  EXPECT_TRUE(in.texts("no_texts").empty());
  EXPECT_TRUE(in.finish());
}

TEST(Arguments, TakesNullForAbsent) {
  const Json json{{"text", nullptr}, {"flag", nullptr}, {"number", nullptr}, {"texts", nullptr}};
  Arguments in(json);
  EXPECT_EQ(in.text("text", "x"), "x");
  EXPECT_TRUE(in.flag("flag", true));
  EXPECT_EQ(in.number("number", 3, 0, 5), 3);
  EXPECT_TRUE(in.texts("texts").empty());
  EXPECT_TRUE(in.finish());
}

TEST(Arguments, WhatIsCountedIsWhole) {
  const Json json{{"a", 3}, {"b", 3.0}, {"c", 4.0}};
  Arguments in(json);
  EXPECT_EQ(in.whole("a", 1, 0, 10), 3);
  EXPECT_EQ(in.whole("b", 1, 0, 10), 3);
  EXPECT_EQ(in.optional_count("c"), 4U);
  EXPECT_TRUE(in.finish());

  const Json halves{{"lines", 1.5}};
  Arguments counted(halves);
  counted.whole("lines", 1, 0, 10);
  EXPECT_EQ(counted.finish().error().message, "lines: must be a whole number");
  Arguments optional(halves);
  optional.optional_count("lines");
  EXPECT_THAT(optional.finish().error().message, HasSubstr("lines: must be a whole number"));
}

TEST(Arguments, NamesTheFirstThingThatIsWrong) {
  struct Row {
    Json json;
    const char* complaint;
  };
  for (const auto& [json, complaint] :
       std::vector<Row>{{{{"text", 1}}, "text: must be a string"},
                        {{{"flag", "yes"}}, "flag: must be true or false"},
                        {{{"flag", 1}}, "flag: must be true or false"},
                        {{{"number", "1"}}, "number: must be a number"},
                        {{{"number", -1}}, "number: must be between 0 and 10"},
                        {{{"number", 10.5}}, "number: must be between 0 and 10"},
                        {{{"texts", {1}}}, "texts: must be an object of strings"},
                        {{{"texts", {{"A", 1}}}}, "texts: 'A' must be a string"},
                        {{{"text", 1}, {"flag", 1}}, "text: must be a string"},
                        {Json::array(), "the arguments are not an object"},
                        {Json(), "the arguments are not an object"}}) {
    Arguments in(json);
    in.text("text", "");
    in.flag("flag", false);
    in.number("number", 0, 0, 10);
    in.texts("texts");
    const auto finished = in.finish();
    ASSERT_FALSE(finished) << json;
    EXPECT_EQ(finished.error().code, Errc::InvalidArgument);
    EXPECT_EQ(finished.error().message, complaint);
  }
}

TEST(Arguments, SuggestsTheNearestNameForAnUnknownOne) {
  const Json slip{{"comand", "ls"}};
  Arguments in(slip);
  in.text("command", "");
  EXPECT_THAT(in.finish().error().message, HasSubstr("unknown argument 'comand'"));
  EXPECT_EQ(in.finish().error().hint, "did you mean 'command'?");
  const Json strange{{"zzz\n", 1}};
  Arguments other(strange);
  other.text("command", "");
  other.text("cwd", "");
  EXPECT_THAT(other.finish().error().message, HasSubstr("'zzz\\x0a'"));
  EXPECT_EQ(other.finish().error().hint, "known arguments: command, cwd");
}

TEST(Arguments, SaysThatAMissingFieldIsThereUnderAnotherName) {
  const Json slip{{"cmd", "ls"}};
  Arguments in(slip);
  if (in.text("command", "").empty()) in.fail("command", "must not be empty");
  EXPECT_EQ(in.finish().error().message, "unknown argument 'cmd'");
  EXPECT_EQ(in.finish().error().hint, "did you mean 'command'?");
}

}  // namespace
}  // namespace yonder::ops
