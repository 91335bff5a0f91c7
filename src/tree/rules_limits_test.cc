#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tree/rules.h"

namespace yonder::tree {
namespace {

using ::testing::HasSubstr;

TEST(RulesLimits, ThereIsAnEndToRules) {
  RuleSet rules;
  EXPECT_THAT(rules.add("", std::string(5000, 'x'), {"excludes", 7}).error().message,
              HasSubstr("excludes:7"));
  std::string many;
  for (std::size_t i = 0; i < kMaxRules; ++i) many += "x\n";
  EXPECT_FALSE(rules.add_file("", many + "y\n", "f"));
  EXPECT_EQ(rules.size(), 0U);
  ASSERT_TRUE(rules.add_file("", many, "f"));
  EXPECT_FALSE(rules.add("", "y", {"excludes", 1}));
  RuleSet large;
  std::string long_lines;
  for (int i = 0; i < 300; ++i) long_lines += std::string(4000, 'x') + "\n";
  EXPECT_FALSE(large.add_file("", long_lines, "f"));
}

TEST(RulesLimits, AHostilePatternTakesNoTime) {
  std::string stars;
  std::string deep;
  std::string path;
  for (int i = 0; i < 500; ++i) {
    stars += "a*";
    deep += "**/a*a/";
    path += "aaa/";
  }
  const std::string file = stars + "b*\n" + deep + "b*\n**/" + stars + "/b*\n*" +
                           std::string(2000, 'a') + "[!a]*\n**/aaa/" + path + "b*\n";
  RuleSet rules;
  ASSERT_TRUE(rules.add_file("", file, ".gitignore"));
  // Whoever tries everything again and again is not done before the test's time limit.
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(rules.judge(std::string(4000, 'a'), false).excluded);
    EXPECT_FALSE(rules.judge(path + path + "x", false).excluded);
  }
}

TEST(RulesLimits, AHundredThousandPathsAreJudgedInNoTime) {
  RuleSet rules;
  add_defaults(rules);
  std::string file;
  for (int i = 0; i < 10; ++i) {
    const std::string n = std::to_string(i);
    file += "*.ext" + n + "\n/out" + n + "/\nname" + n + "\nsrc/**/gen" + n + "*.[ch]\n";
  }
  ASSERT_TRUE(rules.add_file("", file, ".gitignore"));
  std::vector<std::string> paths;
  for (int i = 0; i < 100'000; ++i) {
    paths.push_back("src/module" + std::to_string(i % 100) + "/part/file" + std::to_string(i) +
                    ".cc");
  }
  // Tens of milliseconds. A pattern that tries everything again and again would not be done before
  // the test's time limit.
  int excluded = 0;
  for (const std::string& path : paths) excluded += rules.judge(path, false).excluded ? 1 : 0;
  EXPECT_EQ(excluded, 0);
}

}  // namespace
}  // namespace yonder::tree
