#include "base/quote.h"

#include <gtest/gtest.h>

#include "base/patience_test.h"
#include "base/subprocess.h"

namespace yonder {
namespace {

const std::vector<std::string> kWords{
    "",      "plain",  "a b",       "it's",  "\"double\"", "$(id)", "`id`",
    "$HOME", "a\nb",   "\n",        "-x",    "--",         "~",     "~root",
    "*",     "[a-z]?", "a\\b",      "\\",    "'",          "''",    "'\\''",
    ";|&<>", "#x",     "!x",        "{a,b}", "\t",         "a=b",   "\xC3\xA4\xE2\x82\xAC",
    "\xFF",  "%s\\n",  "a'b\"c$d`e"};

// The shell's own word on it.
std::string printed_by_shell(const std::string& line) {
  const auto result =
      run_captured({.argv = {"sh", "-c", line}, .environment = {"HOME=/h", "PATH=/bin"}}, "", 65536,
                   testing::patience());
  return result && result->status.success() ? result->out : "the shell refused it";
}

TEST(ShellQuote, GivesEveryWordBackThroughARealShell) {
  for (const auto& word : kWords) {
    EXPECT_EQ(printed_by_shell("printf '%s|' " + shell_quote(word)), word + "|") << word;
  }
}

TEST(ShellQuote, LeavesHarmlessWordsAlone) {
  for (const char* word : {"a", "/usr/bin/env", "user@host:22", "A=1", "x.y-z_0+,%"}) {
    EXPECT_EQ(shell_quote(word), word);
  }
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
}

TEST(ShellLine, IsOneLineForAWholeArgumentList) {
  std::vector<std::string> words{"printf", "%s|"};
  std::string expected;
  for (const auto& word : kWords) {
    words.push_back(word);
    expected += word + "|";
  }
  EXPECT_EQ(printed_by_shell(shell_line(words)), expected);
}

TEST(ShellText, QuotesWhatIsAddedToALiteral) {
  EXPECT_EQ(ShellText("rm -rf --").arg("it's").str(), "rm -rf -- 'it'\\''s'");
  EXPECT_EQ(ShellText("").args({"a b", "c"}).str(), "'a b' c");
}

}  // namespace
}  // namespace yonder
