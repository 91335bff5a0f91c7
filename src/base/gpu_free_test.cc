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
  EXPECT_EQ(why_not_free(gpu, 0), "may be used: its processes are not known: the tool hung");
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

TEST(GpuFree, AValueThatWasNotMeasuredDoesNotMakeItBusy) {
  Gpu gpu = idle_gpu();
  gpu.utilization_pct = Count::missing("[N/A]");
  gpu.memory_used_bytes = Count::missing("[N/A]");
  EXPECT_EQ(why_not_free(gpu, 0), "");
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
  EXPECT_EQ(why_not_free(gpu, 1), "has an unknown amount of memory: unified memory");
}

TEST(GpuFree, WhatAMachineSaysIsMadePrintable) {
  Gpu gpu = idle_gpu();
  gpu.lease = Lease{.run_id = "r-1\x1b", .user = "eve\n"};
  EXPECT_EQ(why_not_free(gpu, 0).find('\x1b'), std::string::npos);
  EXPECT_EQ(why_not_free(gpu, 0).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace yonder::resources
