#include "resources/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resources/facts_test.h"

namespace yonder::resources {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Reasons reasons(const MachineFacts& facts, const Needs& needs) {
  return why_not_fit(facts, {"a100", "fast"}, needs, false);
}

TEST(Fit, WhoNeedsNothingFitsAnywhere) {
  MachineFacts nothing_known;
  nothing_known.gpus.list = Measured<std::vector<Gpu>>::missing("no tool");
  EXPECT_THAT(reasons(nothing_known, {}), IsEmpty());
}

TEST(Fit, EverythingThatIsThereFits) {
  EXPECT_THAT(reasons(machine_for_test(2), {.gpus = 2,
                                            .gpu_memory_mb = 40 * 1024,
                                            .memory_mb = 12 * 1024,
                                            .disk_mb = 100 * 1024,
                                            .labels = {"fast", "a100"}}),
              IsEmpty());
}

TEST(Fit, EveryReasonIsNamed) {
  EXPECT_THAT(
      reasons(machine_for_test(2),
              {.gpus = 3, .memory_mb = 16 * 1024, .disk_mb = 200 * 1024, .labels = {"h100"}}),
      ElementsAre("has no label 'h100'", "has 2 GPUs, 3 wanted",
                  "12.0 GiB (12288 MiB) of memory available, 16.0 GiB (16384 MiB) wanted",
                  "100.0 GiB (102400 MiB) of disk free where commands start, 200.0 GiB (204800 "
                  "MiB) wanted"));
}

TEST(Fit, AMachineWithoutGpusSaysSo) {
  EXPECT_THAT(reasons(machine_for_test(0), {.gpus = 1}), ElementsAre("has no GPU, 1 wanted"));
}

TEST(Fit, GpusThatAreTakenNameTheirHolders) {
  MachineFacts facts = machine_for_test(3);
  gpu_of(facts, 0).lease = Lease{.run_id = "r-1", .user = "alice", .since_ms = 1769860800000};
  gpu_of(facts, 1).processes.value->push_back({.pid = 9, .user = "bob", .command = "python"});
  EXPECT_THAT(reasons(facts, {.gpus = 1}), IsEmpty());
  EXPECT_THAT(reasons(facts, {.gpus = 2}),
              ElementsAre("only 1 GPU is free, 2 wanted: GPU 0 is held by alice (run r-1, since "
                          "2026-01-31T12:00:00Z), GPU 1 is used by python of bob"));
  gpu_of(facts, 2).split = true;
  EXPECT_THAT(reasons(facts, {.gpus = 1}).at(0), ::testing::StartsWith("no GPU is free, 1 wanted"));
}

TEST(Fit, GpusThatAreKeptForThoseWhoWaitAreNotFree) {
  MachineFacts facts = machine_for_test(2);
  gpu_of(facts, 0).lease = Lease{.run_id = "r-1", .user = "alice", .since_ms = 1769860800000};
  facts.gpus.queue.push_back({.run_id = "r-2", .user = "bob", .gpus = 2});
  EXPECT_THAT(reasons(facts, {.gpus = 1}),
              ElementsAre("no GPU is free, 1 wanted: GPU 0 is held by alice (run r-1, since "
                          "2026-01-31T12:00:00Z), GPU 1 is for bob, who waits"));
  EXPECT_THAT(why_not_fit(facts, {}, {.gpus = 1}, true), IsEmpty());
}

TEST(Fit, GpusThatAreNeverGivenAwayServeNobodyWhoWaits) {
  MachineFacts facts = machine_for_test(1);
  gpu_of(facts, 0).never = "rocm-smi does not tell which process uses which GPU";
  EXPECT_THAT(why_not_fit(facts, {}, {.gpus = 1}, true),
              ElementsAre("no GPU is fit for it, 1 wanted: GPU 0 cannot be given to a run: "
                          "rocm-smi does not tell which process uses which GPU"));
}

TEST(Fit, WhoMayWaitIsServedByGpusThatAreTakenNow) {
  MachineFacts facts = machine_for_test(1);
  gpu_of(facts, 0).lease = Lease{.run_id = "r-1", .user = "alice"};
  EXPECT_THAT(why_not_fit(facts, {}, {.gpus = 1}, true), IsEmpty());
  EXPECT_THAT(why_not_fit(facts, {}, {.gpus = 1, .gpu_memory_mb = 81920}, true),
              ElementsAre("no GPU is fit for it, 1 wanted: GPU 0 has 40.0 GiB of memory, 80.0 GiB "
                          "(81920 MiB) wanted"));
  gpu_of(facts, 0).split = true;
  EXPECT_THAT(why_not_fit(facts, {}, {.gpus = 1}, true),
              ElementsAre("no GPU is fit for it, 1 wanted: GPU 0 is split into MIG slices"));
}

TEST(Fit, WhatWasNotMeasuredDoesNotFit) {
  MachineFacts facts = machine_for_test(1);
  facts.gpus.list = Measured<std::vector<Gpu>>::missing("nvidia-smi hung");
  facts.memory.available_bytes = Count::missing("no /proc");
  facts.disks.clear();
  EXPECT_THAT(
      reasons(facts, {.gpus = 1, .memory_mb = 1, .disk_mb = 1}),
      ElementsAre("not measured: GPUs: nvidia-smi hung",
                  "not measured: how much of memory available: no /proc",
                  "not measured: how much of disk free where commands start: no answer about it"));
}

TEST(Fit, AMachineWithoutTheDirectoryToStartInDoesNotFit) {
  MachineFacts facts = machine_for_test(0);
  facts.disks[0].absent = "'/work' does not exist";
  EXPECT_THAT(reasons(facts, {}),
              ElementsAre("commands cannot start there: '/work' does not exist"));
}

TEST(Fit, GpusThatCannotBeReservedDoNotCount) {
  MachineFacts facts = machine_for_test(1);
  facts.gpus.lease_problem = "/tmp is not writable";
  EXPECT_THAT(reasons(facts, {.gpus = 1}),
              ElementsAre("GPUs cannot be reserved there: /tmp is not writable"));
}

}  // namespace
}  // namespace yonder::resources
