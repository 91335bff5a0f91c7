#include "outpost/line_filter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace yonder::outpost {
namespace {

bool found(const std::string& pattern, std::string_view line) {
  const auto filter = LineFilter::create(pattern);
  EXPECT_TRUE(filter) << pattern << ": " << (filter ? "" : filter.error().message);
  return filter && filter->found_in(line);
}

TEST(LineFilter, LooksAnywhereInTheLine) {
  EXPECT_TRUE(found("loss=\\d+", "step 7 loss=12 ok"));
  EXPECT_FALSE(found("loss=\\d+", "step 7 loss=none"));
  EXPECT_TRUE(found("(?i)error", "ERROR: no"));
  EXPECT_TRUE(found("^$", ""));
  EXPECT_TRUE(found("error|warning", "a warning"));
}

TEST(LineFilter, DoesNotCountTheCarriageReturnAtTheEnd) {
  EXPECT_TRUE(found("done$", "all done\r"));
  EXPECT_TRUE(found("^$", "\r"));
}

TEST(LineFilter, KnowsCharactersAndNotOnlyBytes) {
  EXPECT_TRUE(found("^.{3}$", "äöü"));
  EXPECT_FALSE(found("^.{6}$", "äöü"));
  EXPECT_TRUE(found("[ö]", "schön"));
  EXPECT_TRUE(found("(?i)GRÖSSE", "größe grösse"));
}

TEST(LineFilter, FindsTextBesideBytesThatAreNoCharacters) {
  EXPECT_TRUE(found("error.*disk", "error \xff\xfe on disk"));
  EXPECT_TRUE(found("^.*disk$", "\xe4\xf6 disk"));
  EXPECT_TRUE(found("\\xe4", "\xe4\xf6 disk")) << "Latin-1";
  EXPECT_FALSE(found("error.*tape", "error \xff\xfe on disk"));
  EXPECT_TRUE(found("a.b", std::string_view("a\0b", 3)));
}

TEST(LineFilter, RefusesAWrongPatternAndNamesTheArgument) {
  for (const char* pattern : {"(", "[a", "*a", "a{2,1}", "(?=a)", "\\1", "x{1001}", "\xff"}) {
    const auto filter = LineFilter::create(pattern);
    ASSERT_FALSE(filter) << pattern;
    EXPECT_EQ(filter.error().code, Errc::InvalidArgument);
    EXPECT_TRUE(filter.error().message.starts_with("filter: ")) << filter.error().message;
  }
  EXPECT_NE(LineFilter::create("(").error().message.find("missing )"), std::string::npos);
}

TEST(LineFilter, RefusesPatternsThatAreTooLarge) {
  EXPECT_FALSE(LineFilter::create(std::string(5000, 'a')));
  EXPECT_FALSE(LineFilter::create("((a{100}){100}){100}"));
  EXPECT_FALSE(LineFilter::create("(\\pL{100}){9}"));
}

// With backtracking these would take longer than the universe is old.
TEST(LineFilter, TakesTimeThatGrowsWithTheLineOnly) {
  const std::string line(60000, 'a');
  EXPECT_FALSE(found("(a+)+$b", line));
  EXPECT_FALSE(found("(a|aa)+b$", line));
  EXPECT_FALSE(found("(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x", line));
  EXPECT_FALSE(found("(a?){50}a{50}b", line));
}

}  // namespace
}  // namespace yonder::outpost
