#include "tree/search_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using yonder::testing::Scratch;

class SearchFiles : public ::testing::Test {
 protected:
  files::SearchReply search(files::SearchRequest request) {
    request.path = request.path.empty() ? "." : request.path;
    auto reply = search_files(request, scratch_.path());
    EXPECT_TRUE(reply) << reply.error().message;
    return reply ? *reply : files::SearchReply{};
  }
  static std::vector<std::string> found(const files::SearchReply& reply) {
    std::vector<std::string> out;
    for (const auto& match : reply.matches) out.push_back(concat(match.path, ":", match.line));
    return out;
  }
  Scratch scratch_;
};

TEST_F(SearchFiles, FindsLinesInOrderWithTheirPlaces) {
  scratch_.write("b.txt", "x\nneedle\ny\n");
  scratch_.write("a/1.txt", "needle needle\nno\nNeedle\n");
  const auto reply = search({.pattern = "needle"});
  EXPECT_THAT(found(reply), ElementsAre("a/1.txt:1", "b.txt:2")) << "a line counts once";
  EXPECT_EQ(reply.files_searched, 2U);
  EXPECT_EQ(reply.files_matched, 2U);
  EXPECT_FALSE(reply.truncated);
  EXPECT_THAT(found(search({.pattern = "NEEDLE", .case_sensitive = false})),
              ElementsAre("a/1.txt:1", "a/1.txt:3", "b.txt:2"));
}

TEST_F(SearchFiles, AnchorsAreThoseOfALine) {
  scratch_.write("f", "ab\nb\n\nbb");
  EXPECT_THAT(found(search({.pattern = "^b$"})), ElementsAre("f:2"));
  EXPECT_THAT(found(search({.pattern = "^$"})), ElementsAre("f:3"));
  EXPECT_THAT(found(search({.pattern = "b\\s*b"})), ElementsAre("f:4")) << "within one line";
}

TEST_F(SearchFiles, ContextIsWhatStandsAround) {
  scratch_.write("f", "1\n2\n3\n4\n5\n");
  const auto reply = search({.pattern = "3", .context = 2});
  ASSERT_THAT(reply.matches, SizeIs(1));
  EXPECT_THAT(reply.matches[0].before, ElementsAre("1", "2"));
  EXPECT_THAT(reply.matches[0].after, ElementsAre("4", "5"));
  const auto first = search({.pattern = "1", .context = 1});
  EXPECT_THAT(first.matches[0].before, ElementsAre());
  EXPECT_THAT(first.matches[0].after, ElementsAre("2"));
}

TEST_F(SearchFiles, RulesLeaveFilesOut) {
  scratch_.write(".gitignore", "*.log\n");
  for (const char* name :
       {"a.py", "b.log", ".git/config", "node_modules/m.js", "sub/c.py", "d.c"}) {
    scratch_.write(name, "x\n");
  }
  EXPECT_THAT(found(search({.pattern = "x"})), ElementsAre("a.py:1", "d.c:1", "sub/c.py:1"));
  EXPECT_THAT(found(search({.pattern = "x", .use_gitignore = false})),
              ElementsAre("a.py:1", "b.log:1", "d.c:1", "sub/c.py:1"));
  EXPECT_THAT(found(search({.pattern = "x", .include = {"*.py"}})),
              ElementsAre("a.py:1", "sub/c.py:1"));
  EXPECT_THAT(found(search({.pattern = "x", .include = {"sub/"}})), ElementsAre("sub/c.py:1"));
  EXPECT_THAT(found(search({.pattern = "x", .exclude = {"sub"}})), ElementsAre("a.py:1", "d.c:1"));
}

TEST_F(SearchFiles, BinariesAreCountedAndNamedNotShown) {
  scratch_.write("bin", std::string("x\0x\n", 4));
  scratch_.write("latin1", "caf\xe9 x\n");
  const auto reply = search({.pattern = "x"});
  EXPECT_THAT(found(reply), ElementsAre("latin1:1"));
  EXPECT_EQ(reply.binaries_skipped, 1U);
  EXPECT_THAT(reply.binary_matches, ElementsAre("bin"));
  EXPECT_TRUE(search({.pattern = "y"}).binary_matches.empty());
}

TEST_F(SearchFiles, IsTruncatedOnlyWhenThereIsMore) {
  scratch_.write("f", "x\nx\nx\n");
  EXPECT_FALSE(search({.pattern = "x", .max_matches = 3}).truncated);
  const auto two = search({.pattern = "x", .max_matches = 2});
  EXPECT_TRUE(two.truncated);
  EXPECT_EQ(two.truncated_by, "matches");
  EXPECT_THAT(two.matches, SizeIs(2));
}

TEST_F(SearchFiles, EndsWhenItsTimeIsOver) {
  scratch_.write("f", "x\n");
  const auto reply = search({.pattern = "x", .time_ms = 0});
  EXPECT_TRUE(reply.truncated);
  EXPECT_EQ(reply.truncated_by, "time");
}

TEST_F(SearchFiles, OfALongLineThePartAroundTheMatchIsShown) {
  scratch_.write("f",
                 std::string(100000, 'a') + "needle" + std::string(100000, 'b') + "\nneedle\n");
  const auto reply = search({.pattern = "needle", .max_line_bytes = 40});
  ASSERT_THAT(reply.matches, SizeIs(2));
  EXPECT_TRUE(reply.matches[0].shortened);
  EXPECT_EQ(reply.matches[0].column, 100001U);
  EXPECT_EQ(reply.matches[0].text, std::string(10, 'a') + "needle" + std::string(24, 'b'));
  EXPECT_EQ(reply.matches[1].line, 2U);
}

TEST_F(SearchFiles, SpecialFilesAndLinksDoNotDisturb) {
  ASSERT_EQ(::mkfifo((scratch_ / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("/etc/passwd", scratch_ / "link");
  std::filesystem::create_symlink("loop", scratch_ / "loop");
  scratch_.write("f", "root\n");
  EXPECT_THAT(found(search({.pattern = "root"})), ElementsAre("f:1"));
}

TEST_F(SearchFiles, OneFileCanBeSearched) {
  scratch_.write("f", "a(b\n");
  EXPECT_THAT(found(search({.path = "f", .pattern = "a(b", .literal = true})), ElementsAre(":1"));
  EXPECT_EQ(search_files({.path = "f", .pattern = "a(b"}, scratch_.path()).error().code,
            Errc::InvalidArgument);
  EXPECT_FALSE(search_files({.path = "f", .pattern = ""}, scratch_.path()));
}

TEST_F(SearchFiles, LinesAreCountedOverMoreThanOneBlock) {
  std::string text;
  for (int i = 1; i <= 1200000; ++i) text += i == 1199999 ? "needle\n" : "0123456\n";
  scratch_.write("f", text);
  EXPECT_THAT(found(search({.pattern = "needle"})), ElementsAre("f:1199999"));
}

}  // namespace
}  // namespace yonder::tree
