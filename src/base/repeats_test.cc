#include "base/repeats.h"

#include <gtest/gtest.h>

namespace yonder {
namespace {

TEST(FoldRepeats, CountsLinesThatRepeatTheOneBefore) {
  EXPECT_EQ(fold_repeats("a\nw\nw\nw\nw\nb\n"), "a\nw\n[the same line 3 times more]\nb\n");
}

TEST(FoldRepeats, LeavesTwoEqualLinesAlone) {
  EXPECT_EQ(fold_repeats("a\na\nb\na\n"), "a\na\nb\na\n");
}

TEST(FoldRepeats, KeepsALastLineWithoutANewline) {
  EXPECT_EQ(fold_repeats("x\nx\nx\nx"), "x\n[the same line 2 times more]\nx");
  EXPECT_EQ(fold_repeats(""), "");
  EXPECT_EQ(fold_repeats("end"), "end");
}

TEST(FoldRepeats, CountsEmptyLinesToo) {
  EXPECT_EQ(fold_repeats("\n\n\n\n"), "\n[the same line 3 times more]\n");
}

}  // namespace
}  // namespace yonder
