#include "cli/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;

TEST(Cells, CountsWhatAScreenShows) {
  EXPECT_EQ(cells_of(""), 0U);
  EXPECT_EQ(cells_of("plain"), 5U);
  EXPECT_EQ(cells_of("▁▂█…é"), 5U);
  EXPECT_EQ(cells_of("機械"), 4U);
  EXPECT_EQ(cells_of("e\u0301"), 1U);
}

TEST(Cells, CutsBetweenCharactersAndNeverGetsWider) {
  EXPECT_EQ(fit_cells("machine", 7), "machine");
  EXPECT_EQ(fit_cells("machine", 4), "mac…");
  EXPECT_EQ(fit_cells("machine", 1), "…");
  EXPECT_EQ(fit_cells("machine", 0), "");
  EXPECT_EQ(fit_cells("機械室", 4), "機…");
  EXPECT_EQ(pad_cells("機械室", 4), "機… ");
  EXPECT_EQ(pad_cells("ab", 4), "ab  ");
}

TEST(Cells, WrapsALongLineAndKeepsAnEmptyOne) {
  EXPECT_THAT(wrap_cells("abcdefg", 3), ElementsAre("abc", "def", "g"));
  EXPECT_THAT(wrap_cells("a機械", 2), ElementsAre("a", "機", "械"));
  EXPECT_THAT(wrap_cells("", 3), ElementsAre(""));
  EXPECT_THAT(wrap_cells("機", 1), ElementsAre("機"));
}

}  // namespace
}  // namespace yonder::cli
