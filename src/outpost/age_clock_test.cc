#include "outpost/age_clock.h"

#include <gtest/gtest.h>

namespace yonder::outpost {
namespace {

constexpr std::int64_t kHour = 3600LL * 1000;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kStart = 1'700'000'000'000;

// One machine whose two clocks a test moves.
class AgeClocks : public ::testing::Test {
 protected:
  AgeClocks() { clock_.pass(now_); }

  void pass(std::int64_t ms) {
    now_.since_boot_ms += ms;
    now_.wall_ms += ms;
    clock_.pass(now_);
  }
  void boot(const std::string& id, std::int64_t off_ms) {
    now_ = {.boot_id = id, .since_boot_ms = 0, .wall_ms = now_.wall_ms + off_ms};
  }

  AgeClock::Moment now_{.boot_id = "a", .since_boot_ms = 5 * kHour, .wall_ms = kStart};
  AgeClock clock_;
};

TEST_F(AgeClocks, CountTheTimeThatPasses) {
  const std::int64_t changed = now_.wall_ms;
  pass(kHour);
  pass(3 * kDay);
  EXPECT_EQ(clock_.age_ms(changed), 3 * kDay + kHour);
}

TEST_F(AgeClocks, MakeNothingOlderWhenTheWallClockJumpsForward) {
  const std::int64_t changed = now_.wall_ms;
  pass(kHour);
  now_.wall_ms += 400 * kDay;
  pass(kHour);
  EXPECT_EQ(clock_.age_ms(changed), 2 * kHour);
  pass(kHour);
  EXPECT_EQ(clock_.age_ms(changed), 3 * kHour);
}

TEST_F(AgeClocks, CountFromTheRightTimeForWhatCameAfterAJump) {
  now_.wall_ms += 400 * kDay;
  pass(kHour);
  const std::int64_t changed = now_.wall_ms;
  pass(2 * kHour);
  EXPECT_EQ(clock_.age_ms(changed), 2 * kHour);
}

TEST_F(AgeClocks, TakeNothingForOldThatMayBeOfJustBeforeAJump) {
  pass(kHour);
  now_.since_boot_ms += 2 * kDay;
  now_.wall_ms += 2 * kDay;
  const std::int64_t changed = now_.wall_ms;
  now_.wall_ms += kDay;
  pass(kHour);
  EXPECT_LE(clock_.age_ms(changed), kHour);
}

TEST_F(AgeClocks, DoNotCountTheTimeInWhichTheMachineWasOff) {
  const std::int64_t changed = now_.wall_ms;
  pass(kHour);
  boot("b", 100 * kDay);
  pass(2 * kHour);
  EXPECT_EQ(clock_.age_ms(changed), 3 * kHour);
}

TEST_F(AgeClocks, CountAllTheTimeOfMachinesThatShareTheFiles) {
  const std::int64_t changed = now_.wall_ms;
  AgeClock::Moment other{.boot_id = "b", .since_boot_ms = 90 * kDay, .wall_ms = now_.wall_ms};
  for (int i = 0; i < 48; ++i) {
    pass(kHour);
    other.since_boot_ms += kHour;
    other.wall_ms += kHour;
    clock_.pass(other);
  }
  EXPECT_EQ(clock_.age_ms(changed), 2 * kDay);
}

TEST_F(AgeClocks, TakeNothingForOlderThanTheirFirstMoment) {
  pass(kHour);
  EXPECT_EQ(clock_.age_ms(kStart - 1000 * kDay), kHour);
}

TEST_F(AgeClocks, TakeWhatIsOfTheFutureForNew) {
  EXPECT_EQ(clock_.age_ms(now_.wall_ms + kDay), 0);
}

TEST_F(AgeClocks, NeverMakeAnythingOlderByForgettingJumps) {
  const std::int64_t changed = now_.wall_ms;
  for (int i = 0; i < 300; ++i) {
    now_.wall_ms += kDay;
    pass(kHour);
  }
  EXPECT_EQ(clock_.age_ms(changed), 300 * kHour);
  EXPECT_LT(clock_.text().size(), 8192U);
}

TEST_F(AgeClocks, SayWhenTheyWereLastTold) {
  EXPECT_EQ(AgeClock().since_last_ms(now_), -1);
  now_.since_boot_ms += kHour;
  now_.wall_ms += 5 * kDay;
  EXPECT_EQ(clock_.since_last_ms(now_), kHour);
  boot("b", 3 * kHour);
  EXPECT_EQ(clock_.since_last_ms(now_), 3 * kHour + 5 * kDay);
}

TEST_F(AgeClocks, AreKeptAsThisText) {
  now_.wall_ms += kDay;
  pass(kHour);
  EXPECT_EQ(clock_.text(),
            "yonder clock 1\nfirst 1700000000000\nseen a 21600000 1700090000000\n"
            "jump 1700086400000 86400000\n");
  EXPECT_EQ(AgeClock::parse(clock_.text()).text(), clock_.text());
  EXPECT_EQ(AgeClock::parse("").since_last_ms(now_), -1);
  EXPECT_EQ(AgeClock::parse("yonder clock 1\nseen a b c\njump 1\n\n").since_last_ms(now_), -1);
}

}  // namespace
}  // namespace yonder::outpost
