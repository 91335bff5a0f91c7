#include "link/link_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/patience_test.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "link/far_side_test.h"

namespace yonder::link {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::FarSide;
using ::testing::HasSubstr;

TEST(PauseAfter, GrowsWithEveryFailureUpToALimit) {
  for (int failures = 1; failures < 20; ++failures) {
    EXPECT_GE(pause_after(failures + 1, 0.5), pause_after(failures, 0.5)) << failures;
  }
  EXPECT_EQ(pause_after(1, 0), milliseconds(125));
  EXPECT_EQ(pause_after(2, 0), milliseconds(250));
  EXPECT_EQ(pause_after(3, 0), milliseconds(500));
  EXPECT_EQ(pause_after(7, 0), std::chrono::seconds(8));
  EXPECT_EQ(pause_after(8, 0), std::chrono::seconds(10));
  EXPECT_EQ(pause_after(1000000, 0), std::chrono::seconds(10));
  EXPECT_EQ(pause_after(-1, 0), pause_after(1, 0));
}

TEST(PauseAfter, IsHalfChance) {
  for (const int failures : {1, 4, 50}) {
    const Duration least = pause_after(failures, 0);
    EXPECT_EQ(pause_after(failures, 0.5), least * 3 / 2);
    EXPECT_EQ(pause_after(failures, 1), least * 2);
  }
}

class LinkPoolTest : public ::testing::Test {
 protected:
  LinkPoolTest() {
    spec_.idle_close = std::chrono::hours(1);
    spec_.connect_timeout = std::chrono::hours(1);
  }

  // From now on the machine behaves so.
  void behaves(const std::string& script) {
    script_.with([&](std::string& now) { now = script; });
  }
  void answers() { behaves(far_.greeting() + FarSide::listens()); }

  Result<std::shared_ptr<Link>> acquire(AcquireOptions options = {}) {
    if (options.deadline.is_never()) options.deadline = testing::patience();
    return pool_.acquire(spec_, options);
  }
  // When the machine was called.
  std::vector<Instant> attempts() const {
    return attempts_.with([](const auto& attempts) { return attempts; });
  }

  FarSide far_;
  SandboxSpec spec_ = FarSide::spec();
  Guarded<std::string> script_;
  Guarded<std::vector<Instant>> attempts_;
  LinkPool pool_{
      [this](const SandboxSpec&) -> Result<CommandPrefix> {
        attempts_.with([](std::vector<Instant>& attempts) {
          attempts.push_back(std::chrono::steady_clock::now());
        });
        return FarSide::prefix(script_.with([](const std::string& script) { return script; }));
      },
      nullptr,
      {},
      LinkSettings{}};
};

constexpr const char* kRefuses = "echo 'u@h: Permission denied (publickey).' >&2; exit 255";
constexpr const char* kUnreachable = "echo 'ssh: Connection refused' >&2; exit 255";
constexpr const char* kSilent = "exec sleep 1000";

TEST_F(LinkPoolTest, GivesAllCallersTheSameLink) {
  answers();
  std::array<std::shared_ptr<Link>, 4> links;
  {
    std::vector<Thread> callers;
    for (auto& link : links) {
      callers.emplace_back("caller", [&] {
        if (auto acquired = acquire()) link = *std::move(acquired);
      });
    }
  }
  for (const auto& link : links) {
    ASSERT_TRUE(link);
    EXPECT_EQ(link, links[0]);
  }
  EXPECT_EQ(attempts().size(), 1U);
  EXPECT_EQ(pool_.existing(spec_), links[0]);
}

TEST_F(LinkPoolTest, TriesOnceMoreWhenTheProcessThatConnectsWasKilled) {
  const testing::Scratch scratch;
  const std::string killed = scratch / "killed";
  behaves(concat("test -e ", killed, " || { touch ", killed, "; kill -9 $$; }; ", far_.greeting(),
                 FarSide::listens()));
  const auto link = acquire();
  EXPECT_TRUE(link) << link.error().message;
  EXPECT_EQ(attempts().size(), 2U);
}

TEST_F(LinkPoolTest, SaysWhichSignalKeepsEndingTheProcessThatConnects) {
  behaves("kill -9 $$");
  const auto link = acquire();
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Errc::LinkLost);
  EXPECT_THAT(link.error().message, HasSubstr("was ended by signal 9"));
  EXPECT_EQ(attempts().size(), 2U);
}

TEST_F(LinkPoolTest, LeavesALinkWhoseSettingsLeadElsewhereToThoseWhoUseIt) {
  Guarded<std::string> way("to one");
  pool_.find_ways(
      [&](const SandboxSpec&) { return way.with([](const std::string& now) { return now; }); });
  answers();
  const auto one = acquire();
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(*acquire(), *one);
  way.with([](std::string& now) { now = ""; });
  EXPECT_EQ(*acquire(), *one) << "where the settings lead is not known";
  way.with([](std::string& now) { now = "to two"; });
  const auto two = acquire();
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_NE(*two, *one);
  EXPECT_TRUE((*one)->alive()) << "a call may still use it";
  EXPECT_EQ(*acquire(), *two);
}

TEST_F(LinkPoolTest, TellsAFirstCallerAtOnceWhatIsWrong) {
  behaves(kUnreachable);
  const auto link = acquire();
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Errc::Unreachable);
  EXPECT_EQ(attempts().size(), 1U);
  EXPECT_EQ(pool_.existing(spec_), nullptr);
}

TEST_F(LinkPoolTest, GoesOnTryingWithGrowingPausesForWhoeverWants) {
  behaves(concat("echo x >>", far_.scratch() / "calls", "; [ $(wc -l <", far_.scratch() / "calls",
                 ") -ge 4 ] || { ", kUnreachable, "; }; ", far_.greeting(), FarSide::listens()));
  const auto link = acquire({.keep_trying = true});
  ASSERT_TRUE(link) << link.error().message;
  const auto called = attempts();
  ASSERT_EQ(called.size(), 4U);
  for (int failures = 1; failures <= 3; ++failures) {
    const auto n = static_cast<std::size_t>(failures);
    EXPECT_GE(called[n] - called[n - 1], pause_after(failures, 0)) << failures;
  }
}

TEST_F(LinkPoolTest, GivesUpTryingAtTheDeadline) {
  behaves(kUnreachable);
  const auto link = acquire({.deadline = Deadline::after(milliseconds(300)), .keep_trying = true});
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Errc::Unreachable);
}

TEST_F(LinkPoolTest, DoesNotRepeatALoginThatFailed) {
  const std::string calls = far_.scratch() / "calls";
  behaves(concat("echo x >>", calls, "; ", kRefuses));
  for (const bool keep_trying : {true, true, false}) {
    const auto link = acquire({.keep_trying = keep_trying});
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().code, Errc::AuthNeeded);
    EXPECT_THAT(link.error().message, HasSubstr("Permission denied"));
    EXPECT_EQ(far_.scratch().read("calls"), "x\n");
  }
}

TEST_F(LinkPoolTest, TriesAgainWhenAPersonHasLoggedIn) {
  const std::string gate = far_.scratch() / "gate";
  behaves(
      concat("[ -e ", gate, " ] || { ", kRefuses, "; }; ", far_.greeting(), FarSide::listens()));
  ASSERT_FALSE(acquire());
  far_.scratch().write("gate", "");
  ASSERT_FALSE(acquire());
  pool_.forget_failures(spec_);
  EXPECT_TRUE(acquire());
}

TEST_F(LinkPoolTest, TriesAgainWhenThereIsAnotherWay) {
  behaves(kRefuses);
  ASSERT_FALSE(acquire());
  answers();
  EXPECT_TRUE(acquire({.keep_trying = true}));
}

TEST_F(LinkPoolTest, ClosesAnIdleLinkAndOpensAnotherWhenItIsNeeded) {
  spec_.idle_close = milliseconds(20);
  answers();
  const auto first = acquire();
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(eventually([&] { return pool_.existing(spec_) == nullptr; }));
  EXPECT_THAT((*first)->loss().message, HasSubstr("idle"));
  const auto second = acquire();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE(*first, *second);
  EXPECT_EQ(attempts().size(), 2U);
}

TEST_F(LinkPoolTest, ShowsALostLinkOnlyWhileACallerWaitsForItsReturn) {
  EXPECT_TRUE(pool_.sights().empty()) << "never connected";
  answers();
  const auto link = acquire();
  ASSERT_TRUE(link) << link.error().message;
  ASSERT_EQ(pool_.sights().size(), 1U);
  EXPECT_EQ(pool_.sights()[0].sandbox, spec_.name);
  EXPECT_EQ(pool_.sights()[0].state, LinkState::Up);
  behaves(kSilent);
  (*link)->close();
  EXPECT_TRUE(pool_.sights().empty()) << "as after a long idle time";
  CancelSource stop;
  Thread caller("caller",
                [&] { EXPECT_FALSE(acquire({.cancel = stop.token(), .keep_trying = true})); });
  EXPECT_TRUE(eventually([&] {
    const auto sights = pool_.sights();
    return sights.size() == 1 && sights[0].state == LinkState::Lost;
  }));
  stop.cancel();
}

TEST_F(LinkPoolTest, DoesNotHammerAFarSideThatDiesRightAway) {
  behaves(far_.greeting() + "exit 1");
  for (int round = 0; round < 3; ++round) {
    const auto link = acquire({.keep_trying = true});
    ASSERT_TRUE(link) << link.error().message;
    ASSERT_TRUE(eventually([&] { return !(*link)->alive(); }));
  }
  const auto called = attempts();
  ASSERT_EQ(called.size(), 3U);
  EXPECT_GE(called[1] - called[0], pause_after(0, 0));
  EXPECT_GE(called[2] - called[1], pause_after(1, 0));
}

TEST_F(LinkPoolTest, LetsAWaitingCallerGoAtItsOwnDeadline) {
  behaves(kSilent);
  CancelSource cancel;
  Thread first("first", [&] { EXPECT_FALSE(acquire({.cancel = cancel.token()})); });
  ASSERT_TRUE(eventually([&] { return attempts().size() == 1; }));
  const auto second = acquire({.deadline = Deadline::after(milliseconds(20))});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("did not answer in time"));
  EXPECT_EQ(attempts().size(), 1U);
  cancel.cancel();
}

TEST_F(LinkPoolTest, LearnsNothingFromAnAttemptThatWasCancelled) {
  behaves(kSilent);
  CancelSource cancel;
  const auto cancelled =
      acquire({.cancel = cancel.token(), .progress = [&](const std::string&) { cancel.cancel(); }});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::Cancelled);
  answers();
  EXPECT_TRUE(acquire({.keep_trying = true}));
}

TEST_F(LinkPoolTest, KeepsNobodyWaitingForAnotherMachine) {
  behaves(kSilent);
  CancelSource cancel;
  Thread stuck("stuck", [&] { EXPECT_FALSE(acquire({.cancel = cancel.token()})); });
  ASSERT_TRUE(eventually([&] { return attempts().size() == 1; }));
  answers();
  SandboxSpec other = spec_;
  other.host = "elsewhere";
  EXPECT_TRUE(pool_.acquire(other, {.deadline = testing::patience()}));
  cancel.cancel();
}

}  // namespace
}  // namespace yonder::link
