#include <gmock/gmock.h>

#include "base/text.h"
#include "cli/file_commands.h"
#include "cli/parsing_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseFiles, TakePathsAndASandbox) {
  EXPECT_EQ(parsed<LsOptions>({"ls"}).path, ".");
  const auto ls = parsed<LsOptions>({"ls", "--sandbox", "gpu1", "--depth", "2", "src"});
  EXPECT_EQ(ls.sandbox, "gpu1");
  EXPECT_EQ(ls.path, "src");
  EXPECT_EQ(ls.depth, 2U);
  EXPECT_TRUE(ls.recursive);
  EXPECT_THAT(parsed<CatOptions>({"cat", "a", "--", "-b", "--json"}).paths,
              ElementsAre("a", "-b", "--json"));
}

TEST(ParseFiles, ReadsRanges) {
  const auto lines = parsed<CatOptions>({"cat", "--lines", "10:20", "f"});
  EXPECT_EQ(lines.first_line, 10U);
  EXPECT_EQ(lines.lines, 11U);
  EXPECT_EQ(parsed<CatOptions>({"cat", "--lines", "10", "f"}).lines, 1U);
  EXPECT_EQ(parsed<CatOptions>({"cat", "--lines", "10:", "f"}).lines, std::nullopt);
  const auto bytes = parsed<CatOptions>({"cat", "--bytes", "5:6", "f"});
  EXPECT_EQ(bytes.offset, 5U);
  EXPECT_EQ(bytes.bytes, 6U);
}

TEST(ParseFiles, KnowsEveryOptionOfTheOthers) {
  const auto write = parsed<WriteOptions>(
      {"write", "--from", "x", "--append", "-p", "--mode", "0640", "--expect", "", "f"});
  EXPECT_EQ(write.from, "x");
  EXPECT_EQ(write.mode, 0640U);
  EXPECT_EQ(write.expected_hash, "");
  EXPECT_TRUE(write.append && write.parents);
  EXPECT_EQ(parsed<WriteOptions>({"write", "f"}).expected_hash, std::nullopt);
  const auto grep = parsed<GrepOptions>(
      {"grep", "-i", "-F", "--include", "*.py", "--exclude", "x", "-C", "2", "a b", "src"});
  EXPECT_EQ(grep.pattern, "a b");
  EXPECT_EQ(grep.path, "src");
  EXPECT_EQ(grep.context, 2U);
  EXPECT_THAT(grep.include, ElementsAre("*.py"));
  EXPECT_TRUE(grep.ignore_case && grep.fixed);
  const auto restore = parsed<RestoreOptions>({"restore", "20261116T081502-k3fa", "a", "b"});
  EXPECT_EQ(restore.batch, "20261116T081502-k3fa");
  EXPECT_THAT(restore.paths, ElementsAre("a", "b"));
  EXPECT_EQ(parsed<EditOptions>({"edit", "f"}).path, "f");
}

TEST(ParseFiles, TheTrashIsShownOrEmptiedAsAsked) {
  EXPECT_FALSE(parsed<TrashOptions>({"trash"}).empty);
  const auto trash =
      parsed<TrashOptions>({"trash", "gpu1", "--empty", "--older-than", "2h", "--yes", "--json"});
  EXPECT_EQ(trash.sandbox, "gpu1");
  EXPECT_TRUE(trash.empty && trash.yes && trash.json);
  EXPECT_EQ(trash.older_than, std::chrono::hours(2));
}

TEST(TrashText, ShowsHowOldEachBatchIsByTheClockOverThereAndWhereItLies) {
  files::TrashReply reply{.batches = {{.id = "b",
                                       .root = "/r",
                                       .why = "sync",
                                       .created_ms = 1000,
                                       .entries = 2,
                                       .bytes = 2048,
                                       .directory = "/s/trash/b"},
                                      {.id = "c", .created_ms = 7200 * 1000}},
                          .now_ms = 7201 * 1000};
  EXPECT_THAT(trash_sizes(reply)[0],
              ElementsAre("b", "2 h", "sync", "2", human_bytes(2048), "/r", "/s/trash"));
  keep_older(reply, std::chrono::hours(1));
  ASSERT_EQ(reply.batches.size(), 1U);
  EXPECT_EQ(trash_total(reply), concat("1 batch, ", human_bytes(2048)));
}

TEST(ParseFiles, RefuseWhatMakesNoSense) {
  const std::vector<std::pair<Words, const char*>> lines{
      {{"cat"}, "needs a path"},
      {{"cat", ""}, "path is empty"},
      {{"ls", "a", "b", "c"}, "unexpected argument"},
      {{"ls", "./a", "b"}, "unexpected argument"},
      {{"cat", "--lines", "0", "f"}, "counted from 1"},
      {{"cat", "--lines", "5:2", "f"}, "counted from 1"},
      {{"cat", "--lines", "x", "f"}, "takes A or A:B"},
      {{"cat", "--lines", "1", "--tail", "2", "f"}, "exclude each other"},
      {{"cat", "--json", "a", "b"}, "one file"},
      {{"write", "--mode", "9", "f"}, "octal"},
      {{"write"}, "needs a path"},
      {{"grep"}, "needs a pattern"},
      {{"restore", "--list", "20261116T081502-k3fa", "p"}, "no paths"},
      {{"trash", "--yes"}, "only together with --empty"},
      {{"trash", "--older-than", "x", "gpu1"}, "--older-than"},
      {{"trash", "a", "b"}, "unexpected argument"},
      {{"ls", "--sandbox", ""}, "name is empty"},
      {{"ls", "--recursiv"}, "did you mean --recursive?"},
  };
  for (const auto& [words, what] : lines) {
    EXPECT_THAT(refusal(words), HasSubstr(what)) << ::testing::PrintToString(words);
  }
}

TEST(FileText, NamesCannotGiveOrdersToATerminal) {
  EXPECT_EQ(safe_name("a\x1b[31m\nb"), "a\\x1b[31m\\x0ab");
  EXPECT_EQ(safe_name("a\xff\\"), "a\\xff\\\\");
  const files::SearchReply found{
      .matches = {{.path = "f", .line = 2, .text = "\tx\x1b]0;t\x07", .before = {"b"}}}};
  EXPECT_EQ(grep_text(found, "."), "f-1-b\nf:2:\tx\\x1b]0;t\\x07\n");
}

TEST(FileText, ModesLookAsInLs) {
  EXPECT_EQ(mode_letters(files::Type::Directory, 01777), "drwxrwxrwt");
  EXPECT_EQ(mode_letters(files::Type::File, 04640), "-rwSr-----");
}

}  // namespace
}  // namespace yonder::cli
