#include "outpost/read_log_scan.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/scratch_test.h"

namespace yonder::outpost {
namespace {

class Scan : public ::testing::Test {
 protected:
  LogFile with(const std::string& content) const {
    LogFile file(scratch_.write("log", content));
    file.look();
    return file;
  }
  static LineFilter filter(const std::string& pattern) {
    auto made = LineFilter::create(pattern);
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  ForwardScan forward(LogFile& file, const std::string& pattern, std::uint64_t from = 0) {
    ForwardScan scan(from, HeadTail(100, 100000));
    const auto wanted = filter(pattern);
    while (scan.position() < file.size() && !budget_.spent()) {
      scan.step(file, wanted, file.size(), budget_);
    }
    return scan;
  }
  BackwardScan backward(LogFile& file, const std::string& pattern, std::uint64_t lines,
                        std::uint64_t bytes = 100000, std::uint64_t floor = 0) {
    BackwardScan scan({.floor = floor, .end = file.size(), .lines = lines, .bytes = bytes});
    const auto wanted = filter(pattern);
    while (!scan.done() && !budget_.spent()) scan.step(file, wanted, budget_);
    return scan;
  }
  static std::string text_of(const HeadTail& text) { return text.head() + text.tail(); }
  static std::string text_of(const BackwardScan& scan) {
    HeadTail text(0, 200000);
    scan.put_into(text);
    return text_of(text);
  }
  static std::string many_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "line " + std::to_string(i) + " of many\n";
    return text;
  }

  testing::Scratch scratch_;
  ScanBudget budget_{.time = std::chrono::minutes(2)};
};

TEST_F(Scan, ForwardFindsEveryLineFromAByteOn) {
  auto file = with("hit 1\nmiss\nhit 2\r\nmiss\nhit 3\n");
  EXPECT_EQ(text_of(forward(file, "hit").found()), "hit 1\nhit 2\r\nhit 3\n");
  const auto rest = forward(file, "hit", 6);
  EXPECT_EQ(text_of(rest.found()), "hit 2\r\nhit 3\n");
  EXPECT_EQ(rest.matches(), 2U);
  EXPECT_EQ(rest.next(), file.size());
}

TEST_F(Scan, ForwardLeavesALineThatIsNotWhole) {
  auto file = with("hit 1\nhit 2");
  auto scan = forward(file, "hit");
  EXPECT_EQ(text_of(scan.found()), "hit 1\n");
  EXPECT_EQ(scan.next(), 6U);
  scan.finish(filter("hit"));
  EXPECT_EQ(text_of(scan.found()), "hit 1\nhit 2");
  EXPECT_EQ(scan.next(), file.size());
}

TEST_F(Scan, ForwardGoesOnInTheMiddleOfALine) {
  auto file = with("begin");
  ForwardScan scan(0, HeadTail(0, 1000));
  const auto wanted = filter("^begin of the line end$");
  scan.step(file, wanted, file.size(), budget_);
  std::ofstream(file.path(), std::ios::app) << " of the line end\n";
  file.look();
  scan.step(file, wanted, file.size(), budget_);
  EXPECT_EQ(text_of(scan.found()), "begin of the line end\n");
}

TEST_F(Scan, FindsLinesAcrossTheBordersOfBlocks) {
  const std::string text = many_lines(20000);
  auto file = with(text);
  EXPECT_EQ(forward(file, "^line \\d+ of many$").matches(), 20000U);
  EXPECT_EQ(text_of(backward(file, "^line \\d+ of many$", 100000, 1000000)),
            text.substr(text.size() - 200000));
  EXPECT_EQ(backward(file, "^line \\d+ of many$", 100000, 1000000).matches(), 20000U);
}

TEST_F(Scan, BackwardFindsTheLastLinesAndStops) {
  auto file = with(many_lines(100000));
  const auto scan = backward(file, "99\\d\\d of", 3);
  EXPECT_EQ(text_of(scan), "line 99997 of many\nline 99998 of many\nline 99999 of many\n");
  EXPECT_LE(file.bytes_read(), 65536U);
  EXPECT_EQ(scan.start(), file.size() - 3 * std::string("line 99997 of many\n").size());
}

TEST_F(Scan, BackwardLooksAtTheFirstLineToo) {
  auto file = with("hit\nmiss\n\n");
  EXPECT_EQ(text_of(backward(file, "hit", 5)), "hit\n");
  EXPECT_EQ(backward(file, "hit", 5).start(), 0U);
  EXPECT_EQ(text_of(backward(file, "^$", 5)), "\n");
  auto empty = with("");
  EXPECT_EQ(backward(empty, "^$", 5).matches(), 0U);
  auto newline = with("\n");
  EXPECT_EQ(backward(newline, "^$", 5).matches(), 1U);
}

TEST_F(Scan, BackwardNeverLooksBeforeTheFloor) {
  auto file = with("hit old\nhit new\n");
  EXPECT_EQ(text_of(backward(file, "hit", 5, 1000, 8)), "hit new\n");
}

TEST_F(Scan, BackwardShowsAnUnfinishedLineButDoesNotTakeItForWhole) {
  auto file = with("hit 1\nmiss\nhit 2");
  const auto scan = backward(file, "hit", 5);
  EXPECT_EQ(text_of(scan), "hit 1\nhit 2");
  EXPECT_EQ(scan.whole_end(), 11U);
  auto whole = with("hit 1\n");
  EXPECT_EQ(backward(whole, "hit", 5).whole_end(), 6U);
}

TEST_F(Scan, BackwardKeepsWholeLinesWithinItsBytes) {
  auto file = with("hit 1\nhit 2\nhit 3\n");
  const auto scan = backward(file, "hit", 5, 13);
  EXPECT_EQ(text_of(scan), "hit 2\nhit 3\n");
  EXPECT_EQ(scan.start(), 6U);
}

TEST_F(Scan, OfALongLineTheBeginningAndTheEndAreLookedAt) {
  const std::string middle(3000000, '.');
  auto file = with("first\nBEGIN" + middle + "END\nlast\n");
  for (const char* pattern : {"^BEGIN", "END$", "^BEGIN.*END$"}) {
    const auto scan = forward(file, pattern);
    EXPECT_EQ(scan.matches(), 1U) << pattern;
    EXPECT_TRUE(scan.found().tail().ends_with("END\n"));
    EXPECT_EQ(scan.found().total(), middle.size() + 9);
    const auto back = backward(file, pattern, 5);
    EXPECT_EQ(back.matches(), 1U) << pattern;
    HeadTail text(100, 100);
    back.put_into(text);
    EXPECT_TRUE(text.head().starts_with("BEGIN."));
    EXPECT_TRUE(text.tail().ends_with(".END\n"));
    EXPECT_EQ(text.total(), middle.size() + 9);
  }
  EXPECT_EQ(forward(file, "^last$").matches(), 1U);
  EXPECT_EQ(backward(file, "^first$", 5).matches(), 1U);
}

TEST_F(Scan, WhatABarHasDrawnIsALine) {
  auto file = with("start\r\n\r10% ok\r20% warning\r\r30% ok\r\r\nend\n40% warning\r");
  EXPECT_EQ(text_of(forward(file, "warning").found()), "20% warning\n40% warning\n");
  EXPECT_EQ(text_of(backward(file, "warning", 5)), "20% warning\n40% warning\n");
  EXPECT_EQ(text_of(forward(file, "^30% ok$").found()), "30% ok\r\r\n");
  EXPECT_EQ(text_of(backward(file, "^30% ok$", 5)), "30% ok\r\r\n");
  EXPECT_EQ(forward(file, "^$").matches(), 0U);
  EXPECT_EQ(backward(file, "^$", 5).matches(), 0U);
  EXPECT_EQ(forward(file, "warning").next(), file.size());
  EXPECT_EQ(backward(file, "warning", 5).whole_end(), file.size());
}

TEST_F(Scan, EveryRedrawOfALongBarIsLookedAt) {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "\rstep " + std::to_string(i) + " of many";
  auto file = with(text);
  EXPECT_EQ(text_of(forward(file, "^step 15000 of").found()), "step 15000 of many\n");
  EXPECT_EQ(text_of(backward(file, "^step 15000 of", 5)), "step 15000 of many\n");
  EXPECT_EQ(backward(file, "^step \\d+ of many$", 40000, 1000000).matches(), 30000U);
  auto scan = forward(file, "^step \\d+ of many$");
  scan.finish(filter("^step \\d+ of many$"));
  EXPECT_EQ(scan.matches(), 30000U);
}

TEST_F(Scan, AReturnAndItsNewlineAreOneEndWhereverTheyAreCut) {
  std::string text = std::string(65535 - 4, 'x') + "\nhit\r\n" + std::string(65534, 'y') + "\r\n";
  auto file = with(text);
  EXPECT_EQ(text_of(forward(file, "hit|^$").found()), "hit\r\n");
  EXPECT_EQ(text_of(backward(file, "hit|^$", 5)), "hit\r\n");
  auto part = with("one\r");
  ForwardScan scan(0, HeadTail(0, 1000));
  scan.step(part, filter("one|^$"), part.size(), budget_);
  EXPECT_EQ(scan.matches(), 1U) << "it need not wait for what comes behind";
  std::ofstream(part.path(), std::ios::app) << "\ntwo\n";
  part.look();
  scan.step(part, filter("one|^$"), part.size(), budget_);
  EXPECT_EQ(scan.matches(), 1U);
  ForwardScan again(4, HeadTail(0, 1000), '\r');
  again.step(part, filter("^$"), part.size(), budget_);
  EXPECT_EQ(again.matches(), 0U);
}

TEST_F(Scan, TheMiddleOfALongLineIsLookedAtToo) {
  const std::string side(1000000, '.');
  auto file = with("first\n" + side + "the needle here" + side + "\nlast\n");
  for (const char* pattern : {"needle", "the needle here", "\\.the needle"}) {
    const auto scan = forward(file, pattern);
    EXPECT_EQ(scan.matches(), 1U) << pattern;
    EXPECT_NE(text_of(scan.found()).find("the needle here"), std::string::npos);
    EXPECT_EQ(scan.found().total(), 2 * side.size() + 16);
    EXPECT_EQ(backward(file, pattern, 5).matches(), 1U) << pattern;
    EXPECT_NE(text_of(backward(file, pattern, 5)).find("the needle here"), std::string::npos);
  }
  for (const char* pattern : {"^the", "here$", "^\\.+the", "\\bneedle$"}) {
    EXPECT_EQ(forward(file, pattern).matches(), 0U) << pattern;
    EXPECT_EQ(backward(file, pattern, 5).matches(), 0U) << pattern;
  }
}

TEST_F(Scan, AMatchThatIsTooLongToBeFoundInALongLineIsNotMissedInSilence) {
  const std::string side(100000, '.');
  auto file =
      with("short\n" + side + "BEGIN" + std::string(200000, '-') + "END" + side + "\nlast\n");
  for (const char* pattern : {"BEGIN-*END", "BEGIN.+END", "BEGIN-{3,}END"}) {
    EXPECT_TRUE(filter(pattern).may_match_far()) << pattern;
    EXPECT_EQ(forward(file, pattern).matches(), 0U) << pattern;
    EXPECT_EQ(forward(file, pattern).long_lines(), 1U) << pattern;
    EXPECT_EQ(backward(file, pattern, 5).matches(), 0U) << pattern;
    EXPECT_EQ(backward(file, pattern, 5).long_lines(), 1U) << pattern;
  }
  EXPECT_EQ(forward(file, "BEGIN-+").long_lines(), 0U) << "it was found";
  EXPECT_EQ(forward(file, "(?:-END)+").matches(), 1U);
  EXPECT_EQ(backward(file, "(?:-END)+", 5).long_lines(), 0U);
  EXPECT_FALSE(filter("BEGIN|last$|^[a-z]{3,5}").may_match_far());
  auto part = with(side);
  EXPECT_EQ(forward(part, "BEGIN-*END").long_lines(), 1U) << "also of a line that goes on";
}

TEST_F(Scan, BytesThatAreNoTextHideNothingInALongLine) {
  using namespace std::string_literals;
  // The border of a block falls into the needle, beside a NUL and a broken character.
  for (const std::size_t before : {65530U, 65533U, 65535U, 131070U}) {
    const std::string side(before, '.');
    auto file = with(side + "\xff\0needle\0\xfe"s + std::string(100000, '.') + "\n");
    for (const char* pattern : {"needle", "\\x00needle", "\\xffe?\\x00needle", ".needle."}) {
      EXPECT_EQ(forward(file, pattern).matches(), 1U) << pattern << " behind " << before;
      EXPECT_EQ(backward(file, pattern, 5).matches(), 1U) << pattern << " behind " << before;
    }
  }
}

TEST_F(Scan, GoesOnInALineThatNeverEnds) {
  const std::string dots(300000, '.');
  auto file = with(dots);
  const auto scan = forward(file, "needle");
  EXPECT_GE(scan.next(), file.size() - kLineEnds);
  EXPECT_GE(backward(file, "needle", 5).whole_end(), file.size() - kLineEnds);
  std::ofstream(file.path(), std::ios::app) << "needle" << dots;
  file.look();
  ForwardScan rest(scan.next(), HeadTail(100, 100000), '.');
  while (rest.position() < file.size()) rest.step(file, filter("needle"), file.size(), budget_);
  EXPECT_TRUE(rest.found_in_part());
  rest.finish_part();
  EXPECT_EQ(rest.matches(), 1U);
  EXPECT_EQ(rest.next(), file.size());
  EXPECT_NE(text_of(rest.found()).find(".needle."), std::string::npos);
  ForwardScan inside(10, HeadTail(100, 100000), '.');
  while (inside.position() < file.size()) inside.step(file, filter("^\\."), file.size(), budget_);
  EXPECT_FALSE(inside.found_in_part()) << "no line begins there";
}

TEST_F(Scan, EndsWithItsBudgetAndSaysHowFarItLooked) {
  auto file = with(many_lines(100000));
  budget_.bytes = 300000;
  auto scan = forward(file, "nothing");
  EXPECT_GE(scan.next(), 299000U);
  EXPECT_LE(scan.position(), 300000U + 65536);
  budget_ = {};
  budget_.bytes = 300000;
  const auto back = backward(file, "nothing", 5);
  EXPECT_FALSE(back.done());
  EXPECT_GT(back.start(), file.size() - 400000);
  EXPECT_LT(back.start(), file.size() - 290000);
}

TEST_F(Scan, OneStepLooksAtNoMoreThanASlice) {
  auto file = with(std::string(4UL << 20U, '\n'));
  ForwardScan scan(0, HeadTail(0, 0));
  scan.step(file, filter("x"), file.size(), budget_);
  EXPECT_LE(file.bytes_read(), 1UL << 20U);
}

TEST_F(Scan, EndsWhereTheFileWasCutMeanwhile) {
  auto file = with(many_lines(10000));
  ASSERT_EQ(::truncate(file.path().c_str(), 10), 0);
  ForwardScan scan(100, HeadTail(0, 1000));
  scan.step(file, filter("line"), file.size(), budget_);
  EXPECT_EQ(scan.position(), 100U);
  BackwardScan back({.floor = 0, .end = file.size(), .lines = 5, .bytes = 1000});
  back.step(file, filter("line"), budget_);
  EXPECT_TRUE(back.done());
  EXPECT_EQ(back.matches(), 0U);
}

}  // namespace
}  // namespace yonder::outpost
