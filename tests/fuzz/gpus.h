#pragma once

#include <vector>

#include "base/resource_facts.h"
#include "fuzz/target.h"
#include "outpost/gpu_values.h"
#include "outpost/nvidia.h"

namespace yonder::fuzz {

// What must be so of every list of GPUs, whichever tool it is from.
inline void require_good_gpus(const outpost::GpuList& list) {
  require(list || !list.why.empty(), "what was not measured says why");
  require_printable(list.why, "why can be shown");
  if (!list) return;
  require((*list).size() <= outpost::kMostGpus, "no machine has more GPUs");
  std::size_t processes = 0;
  for (const auto& gpu : *list) {
    require(outpost::plain_id(gpu.uuid) == gpu.uuid, "an identity is plain");
    for (const auto& slice : gpu.slices) {
      require(outpost::plain_id(slice) == slice, "so is a slice's");
    }
    for (const auto* text : {&gpu.name, &gpu.vendor, &gpu.device, &gpu.never, &gpu.trouble}) {
      require_printable(*text, "what is said of a GPU can be shown");
    }
    for (const auto* count : {&gpu.utilization_pct, &gpu.memory_used_bytes, &gpu.memory_total_bytes,
                              &gpu.temperature_c, &gpu.power_mw}) {
      require(bool(*count) != !count->why.empty(), "a value is there, or a reason");
      require_printable(count->why, "a reason can be shown");
    }
    require(!gpu.memory_used_bytes || !gpu.memory_total_bytes ||
                *gpu.memory_used_bytes <= *gpu.memory_total_bytes,
            "no more is used than there is");
    if (!gpu.processes) continue;
    processes += (*gpu.processes).size();
    for (const auto& process : *gpu.processes) {
      require(process.pid > 0, "a process has a number");
      require_printable(process.command, "its name can be shown");
    }
  }
  require(processes <= outpost::kMostGpuProcesses, "no machine has more processes");
}

}  // namespace yonder::fuzz
