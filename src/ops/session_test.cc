#include <gtest/gtest.h>

#include "ops/engine.h"

namespace yonder::ops {
namespace {

TEST(SessionTest, RemembersTheLatestRunsAndNoMoreThanThat) {
  Session session;
  const RunId first = new_run_id();
  session.remember(first, "gpu1");
  session.remember(first, "gpu2");
  EXPECT_EQ(session.sandbox_of(first), "gpu2");
  RunId last;
  for (std::size_t i = 0; i < Session::kMostRuns + 100; ++i) {
    last = new_run_id();
    session.remember(last, "gpu1");
  }
  EXPECT_EQ(session.remembered(), Session::kMostRuns);
  EXPECT_EQ(session.sandbox_of(last), "gpu1");
  EXPECT_EQ(session.sandbox_of(first), "");
}

TEST(SessionTest, FindsItsRunsByTheBeginningOfTheirIds) {
  Session session;
  session.remember(RunId("r-abcdefghijklmnop"), "gpu1");
  session.remember(RunId("r-abzzzzzzzzzzzzzz"), "gpu2");
  EXPECT_EQ(session.runs_beginning("r-ab").size(), 2U);
  EXPECT_EQ(session.runs_beginning("abz").size(), 1U);
  EXPECT_EQ(session.runs_beginning("abz").begin()->second, "gpu2");
  EXPECT_TRUE(session.runs_beginning("b").empty());
}

TEST(SessionTest, KeepsToTheFirstSandboxThatWasImplied) {
  Session session;
  EXPECT_EQ(session.pin("z"), "z");
  EXPECT_EQ(session.pin("other"), "z");
  EXPECT_EQ(session.selected(), "z");
  session.select("chosen");
  EXPECT_EQ(session.pin("z"), "chosen");
}

TEST(SessionTest, KnowsHowFarEachRunWasTold) {
  Session session;
  const RunId run = new_run_id();
  EXPECT_FALSE(session.told(run));
  session.tell(run, 7);
  session.tell(run, 9);
  EXPECT_EQ(session.told(run), 9U);
  for (std::size_t i = 0; i < Session::kMostRuns + 100; ++i) session.tell(new_run_id(), 1);
  session.tell(run, 11);
  EXPECT_EQ(session.told(run), 11U);
}

}  // namespace
}  // namespace yonder::ops
