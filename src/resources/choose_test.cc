#include "resources/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resources/facts_test.h"

namespace yonder::resources {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Candidate machine(const std::string& name, std::uint64_t load_milli, std::uint64_t gpus = 0) {
  Candidate candidate{.name = name, .labels = {}, .facts = machine_for_test(gpus), .error = {}};
  candidate.facts->cpu.load_1m_milli = Count::of(load_milli);
  return candidate;
}

std::vector<std::string> names(const Ranking& ranking) {
  std::vector<std::string> all;
  for (const auto& one : ranking.fit) all.push_back(one.name);
  return all;
}

void take_all(Candidate& candidate) {
  for (auto& gpu : *candidate.facts->gpus.list.value) {
    gpu.lease = Lease{.run_id = "r-1", .user = "alice"};
  }
}

TEST(Choose, TheMostIdleComesFirst) {
  const Ranking ranking =
      rank({machine("busy", 4000), machine("idle", 0), machine("half", 2000)}, {}, {}, false);
  EXPECT_THAT(names(ranking), ElementsAre("idle", "half", "busy"));
  EXPECT_EQ(ranking.fit.front().why, "the most idle of 3 that fit");
  EXPECT_DOUBLE_EQ(*ranking.fit.front().score, 0.875);
}

TEST(Choose, EqualsAreOrderedByName) {
  const std::vector<Candidate> all{machine("c", 0), machine("a", 0), machine("b", 0)};
  EXPECT_THAT(names(rank(all, {}, {}, false)), ElementsAre("a", "b", "c"));
}

TEST(Choose, WhoWasJustChosenIsLessIdleThanItLooks) {
  const std::vector<Candidate> all{machine("a", 0), machine("b", 1000)};  // 0.875 and 0.75
  const Ranking one = rank(all, {}, {{"a", 1}}, false);
  EXPECT_THAT(names(one), ElementsAre("b", "a"));
  EXPECT_EQ(one.fit.front().why,
            "the most idle of 2 that fit; a (idle 0.875, chosen 1 time in the last minute) has "
            "work that is not measured yet");
  const Ranking both = rank(all, {}, {{"a", 1}, {"b", 1}}, false);
  EXPECT_THAT(names(both), ElementsAre("a", "b"));
  EXPECT_EQ(both.fit.front().why,
            "the most idle of 2 that fit; chosen 1 time in the last minute, which counts as 0.2 "
            "less");
}

TEST(Choose, WithoutAScoreAMachineComesAfterThoseWithOne) {
  Candidate strange = machine("a", 0);
  strange.facts->cpu.load_1m_milli = Count::missing("no /proc");
  const Ranking ranking = rank({strange, machine("b", 4000)}, {}, {{"b", 9}}, false);
  EXPECT_THAT(names(ranking), ElementsAre("b", "a"));
  EXPECT_THAT(ranking.fit.back().why, HasSubstr("cpu.load_1m: no /proc"));
}

TEST(Choose, SaysWhatRuledOutTheOthers) {
  Candidate dead{.name = "dead", .labels = {}, .facts = {}, .error = "does not answer"};
  Candidate small = machine("small", 0);
  const Ranking ranking = rank({dead, small, machine("big", 4000, 2)}, {.gpus = 2}, {}, false);
  EXPECT_THAT(names(ranking), ElementsAre("big"));
  EXPECT_EQ(ranking.fit.front().why, "the only one that fits");
  ASSERT_EQ(ranking.ruled_out.size(), 2U);
  EXPECT_EQ(ranking.ruled_out[0].why, "does not answer");
  EXPECT_EQ(ranking.ruled_out[1].name, "small");
  EXPECT_EQ(ranking.ruled_out[1].why, "has no GPU, 2 wanted");
}

TEST(Choose, AFreeMachineIsBetterThanAnyQueue) {
  Candidate taken = machine("taken", 0, 1);
  take_all(taken);
  const Ranking ranking = rank({taken, machine("free", 4000, 1)}, {.gpus = 1}, {}, true);
  EXPECT_THAT(names(ranking), ElementsAre("free"));
  EXPECT_FALSE(ranking.fit.front().waits);
}

TEST(Choose, WhenNobodyIsFreeTheShortestQueueIsJoined) {
  Candidate crowded = machine("crowded", 0, 1);
  Candidate quiet = machine("quiet", 4000, 1);
  Candidate tiny = machine("tiny", 0, 1);
  for (Candidate* one : {&crowded, &quiet, &tiny}) take_all(*one);
  crowded.facts->gpus.queue.resize(2);
  quiet.facts->gpus.queue.resize(1);
  gpu_of(*tiny.facts, 0).memory_total_bytes = Count::of(8 * kGiB);
  const Needs needs{.gpus = 1, .gpu_memory_mb = 16384};
  EXPECT_THAT(names(rank({crowded, quiet, tiny}, needs, {}, false)), ElementsAre());
  const Ranking ranking = rank({crowded, quiet, tiny}, needs, {}, true);
  EXPECT_THAT(names(ranking), ElementsAre("quiet", "crowded"));
  EXPECT_TRUE(ranking.fit.front().waits);
  EXPECT_EQ(ranking.fit.front().why,
            "the shortest queue of 2 that could serve it; no machine is free now, 1 run waits "
            "there");
  EXPECT_THAT(ranking.ruled_out.at(0).why, HasSubstr("8.0 GiB of memory"));
}

TEST(Choose, AmongEqualQueuesTheMostIdleIsJoined) {
  Candidate a = machine("a", 4000, 1);
  Candidate b = machine("b", 0, 1);
  take_all(a);
  take_all(b);
  EXPECT_THAT(names(rank({a, b}, {.gpus = 1}, {}, true)), ElementsAre("b", "a"));
  EXPECT_THAT(names(rank({a, b}, {.gpus = 1}, {{"b", 4}}, true)), ElementsAre("a", "b"));
}

TEST(Choose, AFreeMachineGoesBeforeOneWhoseGpusAreKeptForSomebody) {
  Candidate kept = machine("a", 0, 2);
  gpu_of(*kept.facts, 0).lease = Lease{.run_id = "r-1", .user = "alice"};
  kept.facts->gpus.queue.push_back({.run_id = "r-2", .user = "bob", .gpus = 2});
  const Ranking ranking = rank({kept, machine("b", 4000, 1)}, {.gpus = 1}, {}, true);
  EXPECT_THAT(names(ranking), ElementsAre("b"));
  EXPECT_FALSE(ranking.fit.front().waits);
  EXPECT_THAT(ranking.ruled_out.at(0).why, HasSubstr("GPU 1 is for bob, who waits"));
}

}  // namespace
}  // namespace yonder::resources
