#include "cli/top_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;

TEST(TopLog, KeepsLinesWithoutWhatATerminalWouldObey) {
  TopLog log("gpu1", "r-1");
  log.add("one\n\x1b[31mtw");
  log.add("o\x1b[0m\x1b]0;title\x07\nthree");
  EXPECT_THAT(log.lines(), ElementsAre("one", "two", "three"));
}

TEST(TopLog, ShowsOnlyWhatIsLeftOfALineThatWasWrittenOver) {
  TopLog log("gpu1", "r-1");
  log.add(" 10 %\r\x1b[K 20 %\r 30 %");
  EXPECT_THAT(log.lines(), ElementsAre(" 30 %"));
  log.add("\r\nnext\r\n");
  EXPECT_THAT(log.lines(), ElementsAre(" 30 %", "next", ""));
}

TEST(TopLog, TurnsTabsIntoSpaces) {
  TopLog log("gpu1", "r-1");
  log.add("é\tb");
  EXPECT_THAT(log.lines(), ElementsAre("é       b"));
}

TEST(TopLog, ForgetsTheBeginningOfALongOneAndTheEndOfALongLine) {
  TopLog log("gpu1", "r-1");
  for (int i = 0; i < 5000; ++i) log.add("line " + std::to_string(i) + "\n");
  EXPECT_EQ(log.lines().size(), 2000U);
  EXPECT_EQ(log.lines()[1998], "line 4999");
  log.add(std::string(1000000, 'x'));
  EXPECT_EQ(log.lines().back().size(), 2000U);
}

}  // namespace
}  // namespace yonder::cli
