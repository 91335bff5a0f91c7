#include "cli/interrupts.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include "base/guarded.h"
#include "base/patience_test.h"

namespace yonder::cli {
namespace {

void wait_for(const CancelToken& token) {
  Monitor<int> monitor;
  const auto wake = token.on_cancel([&] { monitor.wake_all(); });
  monitor.wait(
      testing::patience(), [&](int) { return token.cancelled(); }, [](int) {});
}

bool is_readable(int fd, int milliseconds) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) == 1;
}

TEST(Interrupts, CancelsAtTheFirstSignalAndDetachesAtTheSecond) {
  int told = 0;
  auto interrupts = Interrupts::install([&](int number) { told = number; });
  ASSERT_TRUE(interrupts);
  EXPECT_EQ((*interrupts)->first_signal(), 0);
  EXPECT_FALSE(is_readable((*interrupts)->wake_fd(), 0));
  ::raise(SIGTERM);
  wait_for((*interrupts)->cancel());
  EXPECT_TRUE((*interrupts)->cancel().cancelled());
  EXPECT_EQ(told, SIGTERM);
  EXPECT_FALSE((*interrupts)->detach().cancelled());
  EXPECT_TRUE(is_readable((*interrupts)->wake_fd(), 20000));
  ::raise(SIGINT);
  wait_for((*interrupts)->detach());
  EXPECT_TRUE((*interrupts)->detach().cancelled());
  EXPECT_EQ((*interrupts)->first_signal(), SIGTERM);
}

TEST(Interrupts, LetsAThirdSignalEndUsUnlessToldOtherwise) {
  for (const auto later : {LaterSignals::EndUs, LaterSignals::DoNothing}) {
    auto interrupts = Interrupts::install([](int) {}, later);
    ASSERT_TRUE(interrupts);
    ::raise(SIGTERM);
    wait_for((*interrupts)->cancel());
    ::raise(SIGTERM);
    wait_for((*interrupts)->detach());
    struct sigaction now {};
    ::sigaction(SIGTERM, nullptr, &now);
    EXPECT_EQ(now.sa_handler == SIG_DFL, later == LaterSignals::EndUs);
  }
}

TEST(Interrupts, PutsThingsBackWhenItIsDone) {
  {
    ASSERT_TRUE(Interrupts::install([](int) {}));
  }
  struct sigaction now {};
  ::sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

TEST(Interrupts, LeavesAnIgnoredSignalIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  {
    auto interrupts = Interrupts::install([](int) {});
    ASSERT_TRUE(interrupts);
    struct sigaction now {};
    ::sigaction(SIGHUP, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_IGN);
  }
  ::signal(SIGHUP, SIG_DFL);
}

TEST(Interrupts, CanBeAskedForWithoutASignal) {
  auto interrupts = Interrupts::install([](int) { FAIL() << "no signal came"; });
  ASSERT_TRUE(interrupts);
  (*interrupts)->leave_the_work();
  EXPECT_TRUE((*interrupts)->detach().cancelled());
  EXPECT_FALSE((*interrupts)->cancel().cancelled());
  EXPECT_TRUE(is_readable((*interrupts)->wake_fd(), 0));
}

}  // namespace
}  // namespace yonder::cli
