#include "base/gpu_free.h"

#include <gtest/gtest.h>

namespace yonder::resources {
namespace {

constexpr std::uint64_t kGiB = 1024UL * 1024 * 1024;

Gpu idle_gpu() {
  Gpu gpu{.index = 1, .uuid = "GPU-1", .name = "A100"};
  gpu.utilization_pct = Count::of(0);
  gpu.memory_used_bytes = Count::of(0);
  gpu.memory_total_bytes = Count::of(40 * kGiB);
  gpu.processes = Measured<std::vector<GpuProcess>>::of({});
  return gpu;
}

TEST(GpuFree, AnIdleGpuIsFree) {
  EXPECT_EQ(why_not_free(idle_gpu(), 0), "");
  EXPECT_EQ(why_not_free(idle_gpu(), 40 * 1024), "");
  EXPECT_EQ(name_of(idle_gpu()), "GPU 1");
}

TEST(GpuFree, AGpuWithoutAUuidOrSplitIntoSlicesCannotBeGivenAway) {
  Gpu gpu = idle_gpu();
  gpu.uuid.clear();
  EXPECT_NE(why_not_free(gpu, 0).find("UUID"), std::string::npos);
  gpu = idle_gpu();
  gpu.split = true;
  EXPECT_EQ(why_not_free(gpu, 0), "is split into MIG slices");
  EXPECT_EQ(why_never_free(gpu, 0), "is split into MIG slices");
}

TEST(GpuFree, ALeaseNamesItsHolderWhoeverThatIs) {
  Gpu gpu = idle_gpu();
  gpu.lease = Lease{.run_id = "r-1", .user = "alice", .since_ms = 1769860800000};
  EXPECT_EQ(why_not_free(gpu, 0), "is held by alice (run r-1, since 2026-01-31T12:00:00Z)");
  gpu.lease->mine = true;
  EXPECT_NE(why_not_free(gpu, 0), "");
  EXPECT_EQ(why_never_free(gpu, 0), "");
}

TEST(GpuFree, ForeignProcessesCountAsTaken) {
  Gpu gpu = idle_gpu();
  gpu.processes.value->push_back({.pid = 7, .user = "bob", .command = "python"});
  EXPECT_EQ(why_not_free(gpu, 0), "is used by python of bob");
  gpu.processes.value->push_back({.pid = 8, .user = "bob", .command = "python"});
  gpu.processes.value->push_back({.pid = 9});
  EXPECT_EQ(why_not_free(gpu, 0), "is used by python of bob, process 9");
}

TEST(GpuFree, ManyProcessesAreCountedInsteadOfNamed) {
  Gpu gpu = idle_gpu();
  for (int i = 1; i <= 5; ++i) gpu.processes.value->push_back({.pid = i});
  EXPECT_EQ(why_not_free(gpu, 0), "is used by process 1, process 2, process 3 and 2 more");
}

TEST(GpuFree, AProcessListThatWasNotMeasuredIsNoProofOfAnIdleGpu) {
  Gpu gpu = idle_gpu();
  gpu.processes = Measured<std::vector<GpuProcess>>::missing("the tool hung");
  EXPECT_EQ(why_not_free(gpu, 0), "may be in use: its processes are not known: the tool hung");
}

TEST(GpuFree, WorkThatIsNotShownMakesItBusy) {
  Gpu gpu = idle_gpu();
  gpu.utilization_pct = Count::of(11);
  EXPECT_EQ(why_not_free(gpu, 0), "is busy (11 %) with something that is not shown");
  gpu.utilization_pct = Count::of(10);
  EXPECT_EQ(why_not_free(gpu, 0), "");
  gpu.memory_used_bytes = Count::of(5 * kGiB);
  EXPECT_EQ(why_not_free(gpu, 0), "has 5.0 GiB of its memory used by something that is not shown");
}

TEST(GpuFree, ALittleMemoryOrASmallShareOfItDoesNotMakeItBusy) {
  Gpu gpu = idle_gpu();
  gpu.memory_used_bytes = Count::of(4 * kGiB);  // one tenth
  EXPECT_EQ(why_not_free(gpu, 0), "");
  gpu.memory_total_bytes = Count::of(2 * kGiB);
  gpu.memory_used_bytes = Count::of(kGiB);
  EXPECT_EQ(why_not_free(gpu, 0), "");
}

TEST(GpuFree, OneOfUtilizationAndMemoryIsEnoughToKnowThatItIsIdle) {
  Gpu gpu = idle_gpu();
  gpu.memory_used_bytes = gpu.memory_total_bytes = Count::missing("nvidia-smi says [N/A]");
  EXPECT_EQ(why_not_free(gpu, 0), "");
  gpu = idle_gpu();
  gpu.utilization_pct = Count::missing("nvidia-smi says [N/A]");
  EXPECT_EQ(why_not_free(gpu, 0), "");
}

TEST(GpuFree, AGpuOfWhichNothingWasMeasuredIsNotKnownToBeFree) {
  Gpu gpu = idle_gpu();
  gpu.utilization_pct = Count::missing("nvidia-smi says [N/A]");
  gpu.memory_used_bytes = Count::missing("nvidia-smi says [Not Supported]");
  EXPECT_EQ(
      why_not_free(gpu, 0),
      "may be in use: neither its utilization nor its memory is known: nvidia-smi says [N/A]");
}

TEST(GpuFree, AGpuThatIsOutOfOrderIsNotFree) {
  Gpu gpu = idle_gpu();
  gpu.trouble = "nvidia-smi says [Unknown Error]";
  EXPECT_EQ(why_not_free(gpu, 0), "is out of order: nvidia-smi says [Unknown Error]");
  EXPECT_EQ(why_never_free(gpu, 0), "");  // a reset may help
}

TEST(GpuFree, WhatCanNeverBeGivenAwaySaysWhy) {
  Gpu gpu = idle_gpu();
  gpu.processes = Measured<std::vector<GpuProcess>>::missing("rocm-smi does not tell");
  gpu.never = "rocm-smi does not tell";
  EXPECT_EQ(why_not_free(gpu, 0), "cannot be given to a run: rocm-smi does not tell");
  EXPECT_EQ(why_never_free(gpu, 0), "cannot be given to a run: rocm-smi does not tell");
}

Gpus two_gpus() {
  Gpus gpus;
  gpus.list = Measured<std::vector<Gpu>>::of({idle_gpu(), idle_gpu()});
  gpus.list.value->at(0).memory_total_bytes = Count::of(8 * kGiB);
  return gpus;
}

TEST(GpuFree, AGpuThatSuitsSomebodyWhoWaitsIsKeptForHim) {
  Gpus gpus = two_gpus();
  gpus.queue.push_back({.run_id = "r-1", .user = "bob", .gpus = 2, .gpu_memory_mb = 20000});
  EXPECT_EQ(why_not_free_now(gpus, gpus.list.value->at(0), 0), "");
  EXPECT_EQ(why_not_free_now(gpus, gpus.list.value->at(1), 0), "is for bob, who waits");
  EXPECT_FALSE(*is_free(gpus, gpus.list.value->at(1)));
  gpus.queue[0].mine = true;
  EXPECT_EQ(why_not_free_now(gpus, gpus.list.value->at(1), 0), "is for bob (you), who waits");
  gpus.queue[0].holds_back = false;
  EXPECT_TRUE(*is_free(gpus, gpus.list.value->at(1)));
}

TEST(GpuFree, NobodyKnowsWhatIsFreeWhileLeasesCannotBeSeen) {
  Gpus gpus = two_gpus();
  gpus.lease_problem = "somebody holds the lock";
  const auto free = is_free(gpus, gpus.list.value->at(0));
  EXPECT_FALSE(free);
  EXPECT_EQ(free.why, "leases cannot be seen: somebody holds the lock");
  EXPECT_EQ(why_not_free_now(gpus, gpus.list.value->at(0), 0),
            "may be held: leases cannot be seen: somebody holds the lock");
  // What uses it is there, whoever has a lease.
  gpus.list.value->at(0).processes.value->push_back({.pid = 7});
  EXPECT_FALSE(*is_free(gpus, gpus.list.value->at(0)));
}

TEST(GpuFree, MemoryIsComparedWithWhatIsFreeOfIt) {
  Gpu gpu = idle_gpu();
  gpu.memory_used_bytes = Count::of(kGiB);
  EXPECT_EQ(why_not_free(gpu, 39 * 1024), "");
  EXPECT_EQ(why_not_free(gpu, 39 * 1024 + 1),
            "has 39.0 GiB of memory free, 39.0 GiB (39937 MiB) wanted");
  EXPECT_EQ(why_never_free(gpu, 40 * 1024), "");
  EXPECT_EQ(why_never_free(gpu, 80 * 1024), "has 40.0 GiB of memory, 80.0 GiB (81920 MiB) wanted");
}

TEST(GpuFree, MemoryThatWasNotMeasuredDoesNotFit) {
  Gpu gpu = idle_gpu();
  gpu.memory_used_bytes = Count::missing("[N/A]");
  EXPECT_EQ(why_not_free(gpu, 1), "has an unknown amount of free memory: [N/A]");
  gpu.memory_total_bytes = Count::missing("unified memory");
  EXPECT_EQ(why_not_free(gpu, 1),
            "has an unknown amount of memory (unified memory), so none can be asked of it");
}

TEST(GpuFree, WhatAMachineSaysIsMadePrintable) {
  Gpu gpu = idle_gpu();
  gpu.lease = Lease{.run_id = "r-1\x1b", .user = "eve\n"};
  EXPECT_EQ(why_not_free(gpu, 0).find('\x1b'), std::string::npos);
  EXPECT_EQ(why_not_free(gpu, 0).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace yonder::resources
