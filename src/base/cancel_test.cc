#include "base/cancel.h"

#include <gtest/gtest.h>

#include "base/thread.h"

namespace yonder {
namespace {

TEST(Cancel, ReachesEveryCopyOfTheToken) {
  const CancelSource source;
  const CancelToken token = source.token();
  const CancelToken copy = token;
  EXPECT_FALSE(copy.cancelled());
  source.cancel();
  EXPECT_TRUE(token.cancelled() && copy.cancelled());
  EXPECT_FALSE(CancelToken().cancelled());
}

TEST(Cancel, CallsBackOnceAndOnlyThoseStillRegistered) {
  const CancelSource source;
  int kept = 0;
  int dropped = 0;
  const auto registration = source.token().on_cancel([&] { ++kept; });
  {
    const auto gone = source.token().on_cancel([&] { ++dropped; });
  }
  source.cancel();
  source.cancel();
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(dropped, 0);
}

TEST(Cancel, CallsBackAtOnceWhenItHasHappenedAlready) {
  const CancelSource source;
  source.cancel();
  int called = 0;
  const auto registration = source.token().on_cancel([&] { ++called; });
  EXPECT_EQ(called, 1);
  const auto never = CancelToken().on_cancel([&] { ++called; });
  EXPECT_EQ(called, 1);
}

TEST(Cancel, OutlivesItsSource) {
  CancelToken token;
  {
    const CancelSource source;
    token = source.token();
    source.cancel();
  }
  EXPECT_TRUE(token.cancelled());
}

TEST(Monitor, WakesWhoeverWaitsForAChange) {
  Monitor<int> number(0);
  Thread changer("changer", [&] { number.change([](int& n) { n = 7; }); });
  const int seen = number.wait(
      Deadline::never(), [](int n) { return n == 7; }, [](int& n) { return n; });
  EXPECT_EQ(seen, 7);
}

TEST(Monitor, ShowsAtTheDeadlineThatNothingIsReady) {
  Monitor<int> number(1);
  const int seen = number.wait(
      Deadline::after(std::chrono::milliseconds(5)), [](int) { return false; },
      [](int& n) { return n; });
  EXPECT_EQ(seen, 1);
}

TEST(Monitor, WakesForAConditionOutsideOfItsValue) {
  Monitor<int> number(0);
  const CancelSource source;
  const auto wake = source.token().on_cancel([&] { number.wake_all(); });
  Thread canceller("cancel", [&] { source.cancel(); });
  number.wait(
      Deadline::never(), [&](int) { return source.token().cancelled(); }, [](int&) {});
  EXPECT_TRUE(source.token().cancelled());
}

TEST(Guarded, KeepsThreadsApart) {
  Guarded<int> count(0);
  const auto add = [&] {
    for (int i = 0; i < 10000; ++i) count.with([](int& n) { ++n; });
  };
  {
    Thread first("first", add);
    Thread second("a name that is longer than the kernel allows", add);
  }
  EXPECT_EQ(count.with([](int n) { return n; }), 20000);
}

}  // namespace
}  // namespace yonder
