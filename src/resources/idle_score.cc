#include "resources/idle_score.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace yonder::resources {
namespace {

using Part = Measured<double>;

constexpr double kCpuWeight = 0.4;
constexpr double kMemoryWeight = 0.4;
constexpr double kGpuWeight = 0.2;
constexpr double kHalf = 0.5;  // where there is no GPU
constexpr double kPlaces = 1000;

double as_double(const Count& count) {
  return static_cast<double>(*count);
}

double bounded(double value) {
  return std::clamp(value, 0.0, 1.0);
}

Part missing(const char* what, const std::string& why) {
  return Part::missing(concat(what, ": ", why));
}

// Within a limited group the machine's load says too little: its processors may be idle while we
// wait for our share of them.
double within_group(const Cpu& cpu, double load, double allowed) {
  if (cpu.pressure_milli_pct) return 1 - as_double(cpu.pressure_milli_pct) / (100 * 1000);
  return 1 - std::min(load / allowed, 1.0);
}

Part cpu_part(const Cpu& cpu) {
  if (!cpu.load_1m_milli) return missing("cpu.load_1m", cpu.load_1m_milli.why);
  if (!cpu.online) return missing("cpu.count", cpu.online.why);
  if (!cpu.allowed_milli) return missing("cpu.allowed", cpu.allowed_milli.why);
  const double load = as_double(cpu.load_1m_milli) / 1000;
  const double allowed = as_double(cpu.allowed_milli) / 1000;
  if (allowed <= 0) return missing("cpu.allowed", "it is zero");
  const double idle = std::max(0.0, as_double(cpu.online) - load);
  double part = std::min(allowed, idle) / allowed;
  if (cpu.limit == "cgroup") part = std::min(part, within_group(cpu, load, allowed));
  return Part::of(bounded(part));
}

Part memory_part(const Memory& memory) {
  if (!memory.total_bytes) return missing("memory.total", memory.total_bytes.why);
  if (!memory.available_bytes) return missing("memory.available", memory.available_bytes.why);
  if (*memory.total_bytes == 0) return missing("memory.total", "it is zero");
  return Part::of(bounded(as_double(memory.available_bytes) / as_double(memory.total_bytes)));
}

Part one_gpu(const Gpu& gpu) {
  const std::string name = concat("gpu[", gpu.index, "]");
  const auto not_known = [&](const char* what, const std::string& why) {
    return Part::missing(concat(name, what, ": ", why));
  };
  if (!gpu.utilization_pct) return not_known(".util_pct", gpu.utilization_pct.why);
  if (!gpu.memory_used_bytes) return not_known(".mem_used_mb", gpu.memory_used_bytes.why);
  if (!gpu.memory_total_bytes) return not_known(".mem_total_mb", gpu.memory_total_bytes.why);
  if (*gpu.memory_total_bytes == 0) return not_known(".mem_total_mb", "it is zero");
  const double memory = as_double(gpu.memory_used_bytes) / as_double(gpu.memory_total_bytes);
  return Part::of(bounded(1 - std::max(as_double(gpu.utilization_pct) / 100, memory)));
}

Part gpu_part(const std::vector<Gpu>& gpus) {
  double sum = 0;
  for (const auto& gpu : gpus) {
    Part part = one_gpu(gpu);
    if (!part) return part;
    sum += *part;
  }
  return Part::of(sum / static_cast<double>(gpus.size()));
}

}  // namespace

Measured<double> idle_score(const MachineFacts& facts) {
  Part cpu = cpu_part(facts.cpu);
  if (!cpu) return cpu;
  Part memory = memory_part(facts.memory);
  if (!memory) return memory;
  if (!facts.gpus.list) return missing("gpu", facts.gpus.list.why);
  if (!facts.gpus.unseen.empty()) return missing("gpu", facts.gpus.unseen);
  double score = kHalf * *cpu + kHalf * *memory;
  if (!(*facts.gpus.list).empty()) {
    Part gpu = gpu_part(*facts.gpus.list);
    if (!gpu) return gpu;
    score = kCpuWeight * *cpu + kMemoryWeight * *memory + kGpuWeight * *gpu;
  }
  return Part::of(std::round(score * kPlaces) / kPlaces);
}

}  // namespace yonder::resources
