#include "outpost/gpu_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace yonder::outpost {
namespace {

using resources::Count;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kMiB = 1024UL * 1024;

resources::Gpu gpu(std::uint64_t index, std::uint64_t memory_mb = 24000) {
  return {.index = index,
          .uuid = concat("GPU-", index),
          .name = "card",
          .utilization_pct = Count::of(0),
          .memory_used_bytes = Count::of(0),
          .memory_total_bytes = Count::of(memory_mb * kMiB),
          .temperature_c = Count::of(30),
          .power_mw = Count::of(20000),
          .processes = {.value = std::vector<resources::GpuProcess>{}, .why = ""},
          .vendor = "nvidia"};
}

resources::Gpus machine(std::vector<resources::Gpu> list) {
  return {.vendor = "nvidia", .tool = "nvidia-smi", .list = {.value = std::move(list), .why = ""}};
}

wire::GpuClaim claim(std::uint64_t gpus, const resources::Gpus& on, std::uint64_t memory_mb = 0) {
  return {.run_id = "r-x",
          .gpus = gpus,
          .gpu_memory_mb = memory_mb,
          .suitable = suitable_gpus(*on.list, memory_mb)};
}

SeenClaim waiting(std::uint64_t number, wire::GpuClaim claim) {
  return {.number = number, .owner = 0, .claim = std::move(claim)};
}

SeenClaim holding(std::uint64_t number, const std::string& uuid) {
  return {.number = number,
          .owner = 0,
          .claim = {.run_id = "r-h", .gpus = 1, .suitable = {uuid}, .held = {{.uuid = uuid}}}};
}

std::vector<std::string> taken(const Turn& turn) {
  std::vector<std::string> uuids;
  for (const auto& given : turn.take) uuids.push_back(given.uuid);
  return uuids;
}

TEST(GpuTurn, TakesAFreeGpuAndNamesItsVendor) {
  const auto two = machine({gpu(0), gpu(1)});
  const Turn turn = decide_turn(1, claim(1, two), {}, two, 0);
  ASSERT_THAT(taken(turn), ElementsAre("GPU-0"));
  EXPECT_EQ(turn.take.front().vendor, "nvidia");
}

TEST(GpuTurn, NeverTakesWhatSomebodyHolds) {
  const auto two = machine({gpu(0), gpu(1)});
  EXPECT_THAT(taken(decide_turn(9, claim(1, two), {holding(1, "GPU-0")}, two, 0)),
              ElementsAre("GPU-1"));
  const Turn none =
      decide_turn(9, claim(1, two), {holding(1, "GPU-0"), holding(2, "GPU-1")}, two, 0);
  EXPECT_THAT(taken(none), IsEmpty());
  EXPECT_THAT(none.holders, ElementsAre(HasSubstr("is held by"), HasSubstr("is held by")));
}

TEST(GpuTurn, NeverTakesWhatAForeignProcessUses) {
  auto two = machine({gpu(0), gpu(1)});
  two.list.value->at(0).processes.value->push_back(
      {.pid = 7, .user = "bob", .command = "python", .memory_bytes = Count::of(kMiB)});
  const Turn turn = decide_turn(1, claim(2, two), {}, two, 0);
  EXPECT_THAT(taken(turn), IsEmpty()) << "all or nothing";
  EXPECT_THAT(turn.holders.at(0), HasSubstr("python of bob"));
  EXPECT_THAT(taken(decide_turn(1, claim(1, two), {}, two, 0)), ElementsAre("GPU-1"));
}

TEST(GpuTurn, LeavesWhatIsFreeToThoseWhoCameBefore) {
  const auto two = machine({gpu(0), gpu(1)});
  const Turn turn = decide_turn(5, claim(1, two), {waiting(4, claim(2, two))}, two, 0);
  EXPECT_THAT(taken(turn), IsEmpty());
  EXPECT_EQ(turn.ahead, 1U);
  EXPECT_THAT(turn.holders.at(0), HasSubstr("came before"));
  EXPECT_THAT(taken(decide_turn(3, claim(1, two), {waiting(4, claim(2, two))}, two, 0)),
              ElementsAre("GPU-0"))
      << "who came later does not count";
}

TEST(GpuTurn, DoesNotWaitForAGpuThatTheOneBeforeCannotUse) {
  const auto mixed = machine({gpu(0, 8000), gpu(1, 80000)});
  const auto large = waiting(1, claim(1, mixed, 40000));
  const std::vector<SeenClaim> claims{large, holding(0, "GPU-1")};
  EXPECT_THAT(taken(decide_turn(2, claim(1, mixed), claims, mixed, 0)), ElementsAre("GPU-0"));
  EXPECT_TRUE(enough_unleased(claim(1, mixed), claims));
}

TEST(GpuTurn, GivesTheSmallestThatDo) {
  const auto mixed = machine({gpu(0, 80000), gpu(1, 8000), gpu(2, 24000)});
  EXPECT_THAT(taken(decide_turn(1, claim(1, mixed), {}, mixed, 0)), ElementsAre("GPU-1"));
  EXPECT_THAT(taken(decide_turn(1, claim(1, mixed, 20000), {}, mixed, 0)), ElementsAre("GPU-2"));
  EXPECT_THAT(taken(decide_turn(1, claim(2, mixed, 20000), {}, mixed, 0)),
              ElementsAre("GPU-2", "GPU-0"));
}

TEST(GpuTurn, TakesSomebodyWhoHasNotLookedYetForSomebodyWhoWantsAny) {
  const auto one = machine({gpu(0)});
  const auto undecided = waiting(1, {.run_id = "r-u", .gpus = 1});
  EXPECT_THAT(taken(decide_turn(2, claim(1, one), {undecided}, one, 0)), IsEmpty());
  EXPECT_EQ(decide_turn(2, claim(1, one), {undecided}, one, 0).ahead, 1U);
}

constexpr std::int64_t kCame = 1'000'000'000;
constexpr std::int64_t kMinuteMs = 60'000;

SeenClaim came(std::uint64_t number, wire::GpuClaim claim) {
  claim.since_ms = kCame;
  return waiting(number, std::move(claim));
}

TEST(GpuTurn, ARequestThatNeedsAGpuInForeignUseDoesNotIdleTheOthers) {
  auto four = machine({gpu(0), gpu(1), gpu(2), gpu(3)});
  four.list.value->at(3).processes.value->push_back(
      {.pid = 7, .user = "bob", .command = "python", .memory_bytes = Count::of(kMiB)});
  const std::vector<SeenClaim> claims{came(1, claim(4, four))};
  constexpr std::int64_t kYearMs = 365LL * 24 * 60 * kMinuteMs;
  EXPECT_THAT(taken(decide_turn(2, claim(1, four), claims, four, kCame + kYearMs)),
              ElementsAre("GPU-0"));
  EXPECT_FALSE(queue_of(claims, 0, *four.list, kCame).at(0).holds_back);
  four.list.value->at(3).processes.value->clear();
  EXPECT_THAT(taken(decide_turn(2, claim(1, four), claims, four, kCame)), IsEmpty())
      << "it can start now, so all four are kept for it";
  EXPECT_TRUE(queue_of(claims, 0, *four.list, kCame).at(0).holds_back);
}

TEST(GpuTurn, ARequestThatNeedsABrokenGpuDoesNotIdleTheOthers) {
  auto two = machine({gpu(0), gpu(1)});
  two.list.value->at(1).trouble = "ECC errors";
  EXPECT_THAT(taken(decide_turn(2, claim(1, two), {came(1, claim(2, two))}, two, kCame)),
              ElementsAre("GPU-0"));
}

TEST(GpuTurn, ARequestThatWaitsForALeaseLetsSmallerOnesPassForAWhileAndIsNotStarved) {
  const auto two = machine({gpu(0), gpu(1)});
  const std::vector<SeenClaim> claims{holding(1, "GPU-1"), came(2, claim(2, two))};
  const auto after = [&](std::int64_t minutes) {
    return decide_turn(3, claim(1, two), claims, two, kCame + minutes * kMinuteMs);
  };
  EXPECT_THAT(taken(after(0)), ElementsAre("GPU-0"));
  EXPECT_THAT(taken(after(9)), ElementsAre("GPU-0"));
  EXPECT_THAT(taken(after(11)), IsEmpty());
  EXPECT_THAT(after(11).holders.at(0), HasSubstr("is kept for run r-x of root, which came before"));
  EXPECT_THAT(taken(after(-1)), IsEmpty()) << "the clock was put back: its age is not known";
}

TEST(GpuTurn, IsNotHeldUpByWhoCannotSeeTheGpusForLong) {
  constexpr std::int64_t kNow = 1000000;
  const auto came = [&](std::int64_t ms_ago, std::vector<std::string> suitable) {
    return waiting(
        1,
        {.run_id = "r-u", .gpus = 1, .suitable = std::move(suitable), .since_ms = kNow - ms_ago});
  };
  EXPECT_EQ(in_line({came(14000, {})}, "r-x", kNow).size(), 1U);
  EXPECT_THAT(in_line({came(16000, {})}, "r-x", kNow), IsEmpty());
  EXPECT_THAT(in_line({came(-16000, {})}, "r-x", kNow), IsEmpty()) << "the clock was put back";
  EXPECT_EQ(in_line({came(16000, {"GPU-0"})}, "r-x", kNow).size(), 1U);
  EXPECT_EQ(in_line({holding(1, "GPU-0")}, "r-x", kNow).size(), 1U);
}

TEST(GpuTurn, DoesNotWaitForItself) {
  const auto one = machine({gpu(0)});
  EXPECT_THAT(in_line({waiting(1, claim(1, one))}, "r-x", 0), IsEmpty())
      << "another name may lead to its claim";
}

TEST(GpuTurn, IgnoresClaimsOnGpusOfAnotherMachine) {
  const auto one = machine({gpu(0)});
  const auto elsewhere = waiting(1, {.run_id = "r-e", .gpus = 1, .suitable = {"GPU-far"}});
  const Turn turn = decide_turn(2, claim(1, one), {elsewhere}, one, 0);
  EXPECT_THAT(taken(turn), ElementsAre("GPU-0"));
  EXPECT_EQ(turn.ahead, 0U);
}

TEST(GpuTurn, SplitOrNamelessOrSmallGpusSuitNobody) {
  auto split = gpu(0);
  split.split = true;
  auto nameless = gpu(1);
  nameless.uuid.clear();
  auto unknown = gpu(2);
  unknown.memory_total_bytes = Count::missing("unified memory");
  const auto odd = machine({split, nameless, unknown, gpu(3, 100)});
  EXPECT_THAT(suitable_gpus(*odd.list, 0), ElementsAre("GPU-2", "GPU-3"));
  EXPECT_THAT(suitable_gpus(*odd.list, 1000), IsEmpty());
}

TEST(GpuTurn, LeasesAndTheQueueAreShownWithTheirOwners) {
  auto two = machine({gpu(0), gpu(1)});
  const std::vector<SeenClaim> claims{holding(1, "GPU-1"), waiting(2, claim(1, two)),
                                      waiting(3, {.run_id = "r-blind", .gpus = 1})};
  mark_leases(*two.list.value, claims, 0);
  EXPECT_FALSE(two.list.value->at(0).lease);
  ASSERT_TRUE(two.list.value->at(1).lease);
  EXPECT_EQ(two.list.value->at(1).lease->user, "root");
  EXPECT_TRUE(two.list.value->at(1).lease->mine);
  const auto queue = queue_of(claims, 1000, *two.list, 3'600'000);
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_TRUE(queue.front().holds_back);
  EXPECT_FALSE(queue.back().holds_back) << "it has not seen the GPUs for an hour";
  EXPECT_EQ(queue.front().run_id, "r-x");
  EXPECT_FALSE(queue.front().mine);
}

}  // namespace
}  // namespace yonder::outpost
