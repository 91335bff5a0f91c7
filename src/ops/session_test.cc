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

TEST(SessionTest, KeepsToTheFirstSandboxThatWasImplied) {
  Session session;
  EXPECT_EQ(session.pin("z"), "z");
  EXPECT_EQ(session.pin("other"), "z");
  EXPECT_EQ(session.selected(), "z");
  session.select("chosen");
  EXPECT_EQ(session.pin("z"), "chosen");
}

}  // namespace
}  // namespace yonder::ops
