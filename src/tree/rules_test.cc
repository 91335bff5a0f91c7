#include "tree/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yonder::tree {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

RuleSet rules_of(const std::string& file) {
  RuleSet rules;
  const auto added = rules.add_file("", file, ".gitignore");
  EXPECT_TRUE(added) << added.error().message;
  return rules;
}

void add(RuleSet& rules, std::string_view pattern, Level level = Level::Excludes) {
  const auto added = rules.add("", pattern, {"excludes", 1}, level);
  EXPECT_TRUE(added) << added.error().message;
}

// Whether a file of this name is left out by this pattern alone.
bool hits(const std::string& pattern, std::string_view path) {
  return rules_of(pattern).judge(path, false).excluded;
}
bool hits_directory(const std::string& pattern, std::string_view path) {
  return rules_of(pattern).judge(path, true).excluded;
}

TEST(Rules, ANameMatchesAtEveryDepth) {
  EXPECT_TRUE(hits("core", "core"));
  EXPECT_TRUE(hits("core", "a/b/core"));
  EXPECT_FALSE(hits("core", "cores"));
  EXPECT_FALSE(hits("core", "score"));
  EXPECT_FALSE(hits("core", "core/x"));
  EXPECT_FALSE(hits("core", "CORE"));
  EXPECT_TRUE(hits("**/core", "a/b/core"));
  EXPECT_TRUE(hits("**/core", "core"));
}

TEST(Rules, ASlashBindsAPatternToItsDirectory) {
  EXPECT_TRUE(hits("/build", "build"));
  EXPECT_FALSE(hits("/build", "a/build"));
  EXPECT_TRUE(hits("doc/out", "doc/out"));
  EXPECT_FALSE(hits("doc/out", "a/doc/out"));
  EXPECT_FALSE(hits("doc/out", "doc/out/x"));
}

TEST(Rules, ASlashAtTheEndMeansDirectories) {
  EXPECT_TRUE(hits_directory("build/", "a/build"));
  EXPECT_FALSE(hits("build/", "a/build"));
  EXPECT_TRUE(hits_directory("/a/build/", "a/build"));
}

TEST(Rules, AStarStaysWithinOneName) {
  EXPECT_TRUE(hits("*.o", "a/b.o"));
  EXPECT_TRUE(hits("*", "a/b"));
  EXPECT_TRUE(hits("a*", "x/ab"));
  EXPECT_TRUE(hits("/*.c", "x.c"));
  EXPECT_FALSE(hits("/*.c", "a/x.c"));
  EXPECT_TRUE(hits("a*/b", "axx/b"));
  EXPECT_TRUE(hits("a*/b", "a/b"));
  EXPECT_FALSE(hits("a*/b", "a/x/b"));
  EXPECT_TRUE(hits("a?c", "abc"));
  EXPECT_FALSE(hits("/a?c", "a/c"));
}

TEST(Rules, TwoStarsCrossDirectories) {
  EXPECT_TRUE(hits("a/**/b", "a/b"));
  EXPECT_TRUE(hits("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(hits("a/**/b", "ab"));
  EXPECT_FALSE(hits("a/**/b", "a/xb"));
  EXPECT_TRUE(hits("a/**", "a/x/y"));
  EXPECT_FALSE(hits("a/**", "a"));
  EXPECT_TRUE(hits("**/a/*.b", "x/y/a/c.b"));
  EXPECT_TRUE(hits("a/**/b/**/c*d", "a/b/b/x/b/cxd"));
  EXPECT_FALSE(hits("a/**/b/**/c*d", "a/x/cd"));
  EXPECT_FALSE(hits("a/**/b/**/c*d", "a/b/c/d"));
  // Within a name they are one star, as git documents it.
  EXPECT_TRUE(hits("a/x**/b", "a/xyz/b"));
  EXPECT_FALSE(hits("a/x**/b", "a/xyz/z/b"));
}

TEST(Rules, ClassesMatchOneByte) {
  EXPECT_TRUE(hits("x[abc]", "xb"));
  EXPECT_FALSE(hits("x[!abc]", "xb"));
  EXPECT_TRUE(hits("x[^abc]", "xd"));
  EXPECT_TRUE(hits("x[a-c0-9]", "x7"));
  EXPECT_TRUE(hits("x[]-]", "x]"));
  EXPECT_TRUE(hits("x[]-]", "x-"));
  EXPECT_TRUE(hits("x[\\]]", "x]"));
  EXPECT_TRUE(hits("x[[:digit:][:upper:]_]", "xQ"));
  EXPECT_FALSE(hits("x[[:digit:][:upper:]_]", "xq"));
  EXPECT_FALSE(hits("a[!x]b/c", "a/b/c"));
  EXPECT_FALSE(hits("x[abc", "x[abc"));
  EXPECT_FALSE(hits("x[[:no:]]", "xn"));
  EXPECT_TRUE(hits("x[!a]", "x\xff"));
}

TEST(Rules, ABackslashTakesTheMeaningAway) {
  EXPECT_TRUE(hits("\\*", "*"));
  EXPECT_FALSE(hits("\\*", "a"));
  EXPECT_TRUE(hits("\\#x", "#x"));
  EXPECT_TRUE(hits("\\!x", "!x"));
  EXPECT_TRUE(hits("a\\\\b", "a\\b"));
  EXPECT_FALSE(hits("a\\", "a\\"));
}

TEST(Rules, AFileHasCommentsBlankLinesAndAnyLineEnd) {
  const RuleSet rules = rules_of(
      "\xef\xbb\xbf"
      "a  \r\n\r\n# no\n\nb\\ \n\tc\nd\t\n e");
  ASSERT_EQ(rules.size(), 5U);
  EXPECT_EQ(rules.judge("a", false).rule->origin.line, 1);
  EXPECT_EQ(rules.judge("b ", false).rule->origin.line, 5);
  EXPECT_EQ(rules.judge("\tc", false).rule->origin.line, 6);
  EXPECT_EQ(rules.judge("d\t", false).rule->origin.line, 7);
  EXPECT_EQ(rules.judge(" e", false).rule->origin.line, 8);
  EXPECT_FALSE(rules.judge("# no", false).excluded);
}

TEST(Rules, TheLastMatchWinsAndIsNamed) {
  const RuleSet rules = rules_of("*.log\n!keep.log\n/keep.log\n");
  EXPECT_TRUE(rules.judge("keep.log", false).excluded);
  const Verdict back = rules.judge("a/keep.log", false);
  EXPECT_FALSE(back.excluded);
  ASSERT_NE(back.rule, nullptr);
  EXPECT_EQ(RuleSet::describe(*back.rule), "`!keep.log` (.gitignore:2)");
  EXPECT_EQ(rules.judge("x", false).rule, nullptr);
}

TEST(Rules, WhatIsInAnExcludedDirectoryCannotComeBack) {
  const RuleSet rules = rules_of("build\n!build/keep\n");
  EXPECT_FALSE(rules.judge("build/keep", false).excluded);
  const Verdict verdict = rules.judge_with_parents("build/keep", false);
  EXPECT_TRUE(verdict.excluded);
  EXPECT_EQ(verdict.rule->text, "build");
}

TEST(Rules, WhatIsInADirectoryThatIsOnlyEmptiedComesBack) {
  RuleSet rules;
  add(rules, "build/*");
  add(rules, "!build/keep");
  EXPECT_FALSE(rules.judge_with_parents("build", true).excluded);
  EXPECT_FALSE(rules.judge_with_parents("build/keep", false).excluded);
  EXPECT_TRUE(rules.judge_with_parents("build/other", false).excluded);
}

TEST(Rules, LevelsBeatOneAnotherInWhateverOrderTheyWereAdded) {
  RuleSet rules;
  add(rules, "!x", Level::Excludes);
  add(rules, "x", Level::ExcludeFile);
  ASSERT_TRUE(rules.add_file("sub", "!y\n", "sub/.gitignore"));
  ASSERT_TRUE(rules.add_file("", "x\ny\n", ".gitignore"));
  add(rules, "z", Level::Defaults);
  EXPECT_FALSE(rules.judge("x", false).excluded);
  EXPECT_FALSE(rules.judge("sub/y", false).excluded);
  EXPECT_TRUE(rules.judge("y", false).excluded);
  EXPECT_TRUE(rules.judge("subway/y", false).excluded);
  EXPECT_TRUE(rules.judge("sub/z", false).excluded);
}

TEST(Rules, ANestedFileSpeaksOfItsOwnDirectoryOnly) {
  RuleSet rules;
  ASSERT_TRUE(rules.add_file("sub/dir", "/a\n*.x\nb/c\nsub\n", "sub/dir/.gitignore"));
  EXPECT_TRUE(rules.judge("sub/dir/a", false).excluded);
  EXPECT_FALSE(rules.judge("sub/dir/q/a", false).excluded);
  EXPECT_TRUE(rules.judge("sub/dir/q/a.x", false).excluded);
  EXPECT_TRUE(rules.judge("sub/dir/b/c", false).excluded);
  EXPECT_FALSE(rules.judge("a", false).excluded);
  EXPECT_FALSE(rules.judge("sub/a.x", false).excluded);
  EXPECT_FALSE(rules.judge("sub", true).excluded);
  EXPECT_FALSE(rules.judge("sub/dir", true).excluded);
}

TEST(Rules, AScopeStandsBetweenTheDefaultsAndTheUser) {
  RuleSet rules;
  add_defaults(rules);
  add(rules, "!wanted.o");
  const auto root = Scope::open(nullptr, "", "*.o\n!x.pyc\n", ".gitignore");
  ASSERT_TRUE(root);
  const auto sub = Scope::open(*root, "sub", "!kept.o\n", "sub/.gitignore");
  ASSERT_TRUE(sub);
  const auto same = Scope::open(*sub, "sub/dir", "# nothing\n", "sub/dir/.gitignore");
  ASSERT_TRUE(same);
  EXPECT_EQ(*same, *sub);
  EXPECT_TRUE(rules.judge("a.o", false, root->get()).excluded);
  EXPECT_TRUE(rules.judge("sub/a.o", false, sub->get()).excluded);
  EXPECT_FALSE(rules.judge("sub/kept.o", false, sub->get()).excluded);
  EXPECT_FALSE(rules.judge("sub/wanted.o", false, sub->get()).excluded);
  EXPECT_FALSE(rules.judge("sub/x.pyc", false, sub->get()).excluded);
  EXPECT_TRUE(rules.judge("sub/y.pyc", false, sub->get()).excluded);
  EXPECT_TRUE(rules.judge_with_parents("a.o/kept.o", false, sub->get()).excluded);
}

TEST(Rules, TheDefaultsLeaveOutWhatNobodyWantsAndSecrets) {
  RuleSet rules;
  add_defaults(rules);
  for (const char* directory : {".git", "sub/.git", "node_modules", "a/__pycache__", ".vscode"}) {
    EXPECT_TRUE(rules.judge(directory, true).excluded) << directory;
  }
  for (const char* file : {"a/x.pyc", ".git", ".env", "a/.env.local", "home/.ssh/id_ed25519",
                           ".netrc", ".aws/credentials", "home/.aws/credentials"}) {
    EXPECT_TRUE(rules.judge(file, false).excluded) << file;
  }
  for (const char* file : {".gitignore", ".env.example", "a/.env.sample", ".env.template",
                           "id_rsa.pub", "node_modules", "server.pem", "environment", ".github"}) {
    EXPECT_FALSE(rules.judge(file, false).excluded) << file;
  }
  EXPECT_EQ(rules.judge("a/.env", false).rule->origin.source, kBuiltInSecret);
  EXPECT_EQ(RuleSet::describe(*rules.judge("x.pyc", false).rule), "`*.pyc` (built in)");
}

TEST(Rules, AUserBringsADefaultBack) {
  RuleSet rules;
  add(rules, "!.env");
  add_defaults(rules);
  EXPECT_FALSE(rules.judge("a/.env", false).excluded);
  EXPECT_TRUE(rules.judge("a/.env.local", false).excluded);
}

TEST(Rules, ADotSlashOfTheUserIsDropped) {
  RuleSet rules;
  add(rules, "./data/raw");
  add(rules, "!./data/raw/x");
  add(rules, "././#a");
  EXPECT_TRUE(rules.judge("data/raw", true).excluded);
  EXPECT_EQ(rules.judge("data/raw/x", false).rule->text, "!./data/raw/x");
  EXPECT_TRUE(rules.judge("#a", false).excluded);
  EXPECT_FALSE(hits("./a", "a"));
}

TEST(Rules, APatternThatCanNeverMatchIsAnErrorOnlyForWhoHasTypedIt) {
  for (const char* pattern : {"a[", "/", "!", "a\\", "[[:no:]]"}) {
    RuleSet rules;
    const auto added = rules.add("", pattern, {"excludes", 2});
    ASSERT_FALSE(added) << pattern;
    EXPECT_EQ(added.error().code, Errc::InvalidArgument);
    EXPECT_THAT(added.error().message, StartsWith("excludes:2: the pattern `"));
    EXPECT_TRUE(rules.add_file("", pattern, ".gitignore")) << pattern;
    EXPECT_EQ(rules.size(), 0U);
  }
  RuleSet rules;
  EXPECT_FALSE(rules.add("", "./", {"excludes", 1}));
  EXPECT_TRUE(rules.add("", "", {"excludes", 1}));
  EXPECT_TRUE(rules.add("", "   ", {"excludes", 1}));
  EXPECT_TRUE(rules.add("", "# words", {"excludes", 1}));
  EXPECT_EQ(rules.size(), 0U);
}

TEST(Rules, ADescriptionIsSafeToShow) {
  const RuleSet rules = rules_of("\x1b[x]\n");
  EXPECT_THAT(RuleSet::describe(*rules.judge("\x1bx", false).rule), HasSubstr("`\\x1b[x]`"));
}

}  // namespace
}  // namespace yonder::tree
