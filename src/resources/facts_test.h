#pragma once

#include <string>

#include "base/resource_facts.h"

namespace yonder::resources {

// Machines for tests.

constexpr std::uint64_t kMiB = 1024UL * 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;

inline Gpu gpu_for_test(std::uint64_t index) {
  Gpu gpu{.index = index, .uuid = "GPU-" + std::to_string(index), .name = "A100"};
  gpu.utilization_pct = Count::of(0);
  gpu.memory_used_bytes = Count::of(0);
  gpu.memory_total_bytes = Count::of(40 * kGiB);
  gpu.temperature_c = Count::of(40);
  gpu.power_mw = Count::of(50500);
  gpu.processes = Measured<std::vector<GpuProcess>>::of({});
  return gpu;
}

// Four processors, a load of 2, 16 GiB of which a quarter is used, and idle GPUs.
inline MachineFacts machine_for_test(std::uint64_t gpus) {
  MachineFacts facts{.boot_id = "b", .kernel = "6.1"};
  facts.uptime_s = Count::of(100);
  facts.cpu = {.load_1m_milli = Count::of(2000),
               .load_5m_milli = Count::of(1500),
               .load_15m_milli = Count::of(1000),
               .online = Count::of(4),
               .allowed_milli = Count::of(4000),
               .limit = {},
               .pressure_milli_pct = Count::missing("no limit")};
  facts.memory = {
      .total_bytes = Count::of(16 * kGiB), .available_bytes = Count::of(12 * kGiB), .limit = {}};
  facts.disks.push_back({.role = "work",
                         .path = "/home/me",
                         .free_bytes = Count::of(100 * kGiB),
                         .total_bytes = Count::of(200 * kGiB),
                         .free_inodes = Count::of(1000),
                         .total_inodes = Count::of(2000)});
  facts.gpus.vendor = gpus == 0 ? "" : "nvidia";
  facts.gpus.list = Measured<std::vector<Gpu>>::of({});
  for (std::uint64_t i = 0; i < gpus; ++i) facts.gpus.list.value->push_back(gpu_for_test(i));
  facts.users = Measured<std::vector<LoggedIn>>::of({});
  return facts;
}

inline Gpu& gpu_of(MachineFacts& facts, std::size_t index) {
  return facts.gpus.list.value->at(index);
}

}  // namespace yonder::resources
