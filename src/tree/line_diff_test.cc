#include "tree/line_diff.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/text.h"

namespace yonder::tree {
namespace {

TEST(LineDiff, OfEqualTextsIsEmpty) {
  EXPECT_EQ(line_diff("", "", 1000).text, "");
  EXPECT_EQ(line_diff("a\nb\n", "a\nb\n", 1000).text, "");
}

TEST(LineDiff, ShowsWhatChangedWithThreeLinesAround) {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n";
  std::string after = before;
  after.replace(after.find("2\n"), 2, "two\n");
  after.replace(after.find("15\n"), 3, "");
  EXPECT_EQ(line_diff(before, after, 1000).text,
            "@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n"
            "@@ -12,5 +12,4 @@\n 12\n 13\n 14\n-15\n 16\n");
}

TEST(LineDiff, OfANewAndOfAnEmptiedFile) {
  EXPECT_EQ(line_diff("", "a\n", 1000).text, "@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(line_diff("a", "", 1000).text, "@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file\n");
}

TEST(LineDiff, IsBounded) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += concat("old ", i, "\n");
    after += concat("new ", i, "\n");
  }
  const LineDiff diff = line_diff(before, after, 1000);
  EXPECT_TRUE(diff.truncated);
  EXPECT_LE(diff.text.size(), 1001U);
}

// Reads a diff as `patch` would.
std::string patched(const std::string& before, const std::string& diff) {
  const auto lines = split(before, '\n');
  std::string out;
  std::size_t at = 0;
  for (const std::string& line : split(diff, '\n')) {
    if (line.starts_with("@@ -")) {
      const std::size_t from = std::stoul(line.substr(4));
      const bool empty = line.substr(line.find(',') + 1).starts_with("0 ");
      while (at < (empty ? from : from - 1)) out += lines[at++] + "\n";
    } else if (line.starts_with('+')) {
      out += line.substr(1) + "\n";
    } else if (!line.empty()) {
      if (line[0] == ' ') out += lines[at] + "\n";
      EXPECT_EQ(lines[at++], line.substr(1));
    }
  }
  while (at + 1 < lines.size()) out += lines[at++] + "\n";
  return out;
}

TEST(LineDiff, LeadsFromTheOneTextToTheOther) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const auto text = [&] {
      std::string out;
      for (auto i = random() % 20; i > 0; --i) out += concat("l", random() % 5, "\n");
      return out;
    };
    const std::string before = text();
    const std::string after = text();
    ASSERT_EQ(patched(before, line_diff(before, after, 100000).text), after) << before;
  }
}

}  // namespace
}  // namespace yonder::tree
