#include "resources/idle_score.h"

#include <gtest/gtest.h>

#include "resources/facts_test.h"

namespace yonder::resources {
namespace {

double score(const MachineFacts& facts) {
  const auto score = idle_score(facts);
  EXPECT_TRUE(score) << score.why;
  return score.value.value_or(-1);
}

TEST(IdleScore, HasTheDocumentedWeights) {
  MachineFacts facts = machine_for_test(1);
  gpu_of(facts, 0).utilization_pct = Count::of(50);
  EXPECT_DOUBLE_EQ(score(facts), 0.6);  // 0.4 * 0.5 + 0.4 * 0.75 + 0.2 * 0.5
}

TEST(IdleScore, CountsTheMemoryOfAGpuLikeItsUtilisation) {
  MachineFacts facts = machine_for_test(1);
  gpu_of(facts, 0).memory_used_bytes = Count::of(20 * kGiB);
  EXPECT_DOUBLE_EQ(score(facts), 0.6);
  gpu_of(facts, 0).utilization_pct = Count::of(100);
  EXPECT_DOUBLE_EQ(score(facts), 0.5);
}

TEST(IdleScore, IsTheMeanOfSeveralGpus) {
  MachineFacts facts = machine_for_test(2);
  gpu_of(facts, 1).utilization_pct = Count::of(100);
  EXPECT_DOUBLE_EQ(score(facts), 0.6);
}

TEST(IdleScore, WithoutAGpuSharesItsWeightBetweenCpuAndMemory) {
  EXPECT_DOUBLE_EQ(score(machine_for_test(0)), 0.625);
}

TEST(IdleScore, GoesFromZeroToOne) {
  MachineFacts facts = machine_for_test(0);
  facts.cpu.load_1m_milli = Count::of(0);
  facts.memory.available_bytes = facts.memory.total_bytes;
  EXPECT_DOUBLE_EQ(score(facts), 1);
  facts.cpu.load_1m_milli = Count::of(900'000);
  facts.memory.available_bytes = Count::of(0);
  EXPECT_DOUBLE_EQ(score(facts), 0);
  facts.memory.available_bytes = Count::of(17 * kGiB);  // nonsense from the other side
  EXPECT_DOUBLE_EQ(score(facts), 0.5);
}

TEST(IdleScore, KnowsThatFewProcessorsAreOurs) {
  MachineFacts facts = machine_for_test(0);
  facts.cpu.online = Count::of(64);
  facts.cpu.load_1m_milli = Count::of(62'000);
  facts.cpu.allowed_milli = Count::of(4000);
  facts.cpu.limit = "affinity";
  EXPECT_DOUBLE_EQ(score(facts), 0.5 * 0.5 + 0.5 * 0.75);
}

TEST(IdleScore, TakesThePressureOfTheGroupThatLimitsUs) {
  MachineFacts facts = machine_for_test(0);
  facts.cpu.online = Count::of(64);
  facts.cpu.limit = "cgroup";
  facts.cpu.pressure_milli_pct = Count::of(80'000);
  EXPECT_DOUBLE_EQ(score(facts), 0.475);  // 0.5 * 0.2 + 0.5 * 0.75
  facts.cpu.pressure_milli_pct = Count::missing("an old kernel");
  EXPECT_DOUBLE_EQ(score(facts), 0.625);  // 2 of 4
  facts.cpu.pressure_milli_pct = Count::of(0);
  facts.cpu.load_1m_milli = Count::of(63'000);  // one processor is idle, of four that we may use
  EXPECT_DOUBLE_EQ(score(facts), 0.5);
}

TEST(IdleScore, IsNotThereWhenAPartWasNotMeasuredAndSaysWhich) {
  MachineFacts facts = machine_for_test(1);
  facts.cpu.load_1m_milli = Count::missing("no /proc");
  EXPECT_EQ(idle_score(facts).why, "cpu.load_1m: no /proc");
  EXPECT_FALSE(idle_score(facts));
  facts = machine_for_test(1);
  facts.memory.available_bytes = Count::missing("an old kernel");
  EXPECT_EQ(idle_score(facts).why, "memory.available: an old kernel");
  facts = machine_for_test(2);
  gpu_of(facts, 1).utilization_pct = Count::missing("[N/A]");
  EXPECT_EQ(idle_score(facts).why, "gpu[1].util_pct: [N/A]");
  facts.gpus.list = Measured<std::vector<Gpu>>::missing("nvidia-smi hung");
  EXPECT_EQ(idle_score(facts).why, "gpu: nvidia-smi hung");
}

TEST(IdleScore, IsNotMadeFromZeros) {
  MachineFacts facts = machine_for_test(1);
  gpu_of(facts, 0).memory_total_bytes = Count::of(0);
  EXPECT_EQ(idle_score(facts).why, "gpu[0].mem_total_mb: it is zero");
  facts.memory.total_bytes = Count::of(0);
  EXPECT_EQ(idle_score(facts).why, "memory.total: it is zero");
  facts.cpu.allowed_milli = Count::of(0);
  EXPECT_EQ(idle_score(facts).why, "cpu.allowed: it is zero");
}

TEST(IdleScore, IsNotKnownWhileThereMayBeGpusThatNobodySees) {
  MachineFacts facts = machine_for_test(1);
  facts.gpus.unseen = "nvidia-smi hung";
  EXPECT_EQ(idle_score(facts).why, "gpu: nvidia-smi hung");
}

}  // namespace
}  // namespace yonder::resources
