#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top_fixture_test.h"

namespace yonder::cli {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Eq;

resources::Seen answer(std::uint64_t busy) {
  resources::Seen seen{.facts = resources::machine_for_test(1), .error = {}, .age = {}};
  resources::gpu_of(*seen.facts, 0).utilization_pct = resources::Count::of(busy);
  return seen;
}

resources::Seen failure() {
  return {.facts = {}, .error = Error{Errc::Unreachable, "no route to host", ""}, .age = {}};
}

TEST(TopState, KeepsAHistoryOfEachGpuWithGapsWhereNothingWasMeasured) {
  TopMachine machine;
  const Instant now = top_time().steady;
  top_answered(machine, answer(10), now);
  top_answered(machine, failure(), now);
  top_answered(machine, answer(20), now);
  auto silent = answer(0);
  resources::gpu_of(*silent.facts, 0).utilization_pct = resources::Count::missing("[N/A]");
  top_answered(machine, silent, now);
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_THAT(machine.gpus.begin()->second,
              ElementsAre(Eq(10U), Eq(std::nullopt), Eq(20U), Eq(std::nullopt)));
}

TEST(TopState, ForgetsOldSamplesAndGpusThatAreGone) {
  TopMachine machine;
  const Instant now = top_time().steady;
  for (std::uint64_t i = 0; i < 100; ++i) top_answered(machine, answer(i), now);
  EXPECT_EQ(machine.gpus.begin()->second.size(), kTopSamples);
  EXPECT_EQ(machine.gpus.begin()->second.back(), 99U);
  for (std::size_t i = 0; i < kTopSamples; ++i) top_answered(machine, failure(), now);
  EXPECT_TRUE(machine.gpus.empty());
}

TEST(TopState, AMachineThatOwesAnAnswerIsNotFresh) {
  TopMachine machine = top_machine("alpha", 0);
  EXPECT_TRUE(top_is_fresh(machine, top_time().steady));
  top_asked(machine, top_time(seconds(2)).steady);
  EXPECT_TRUE(top_is_fresh(machine, top_time(seconds(4)).steady));
  EXPECT_FALSE(top_is_fresh(machine, top_time(seconds(6)).steady));
  // Asking again does not begin the count anew.
  top_asked(machine, top_time(seconds(8)).steady);
  EXPECT_EQ(top_silence(machine.unanswered, top_time(seconds(10)).steady), Duration(seconds(8)));
  top_answered(machine, answer(1), top_time(seconds(11)).steady);
  EXPECT_TRUE(top_is_fresh(machine, top_time(seconds(20)).steady));
}

TEST(TopState, AFailureLeavesTheLastValuesButNotAsFreshOnes) {
  TopMachine machine = top_machine("alpha", 0);
  top_answered(machine, failure(), top_time(seconds(1)).steady);
  EXPECT_TRUE(machine.facts);
  EXPECT_EQ(machine.measured, top_time().steady);
  EXPECT_FALSE(top_is_fresh(machine, top_time(seconds(1)).steady));
}

}  // namespace
}  // namespace yonder::cli
