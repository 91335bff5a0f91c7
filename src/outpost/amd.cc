#include "outpost/amd.h"

#include <initializer_list>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "outpost/gpu_processes.h"
#include "outpost/gpu_values.h"
#include "outpost/numbers.h"
#include "outpost/tool.h"

namespace yonder::outpost {
namespace {

using resources::Count;
using resources::Gpu;
using resources::GpuProcess;
using Processes = resources::Measured<std::vector<GpuProcess>>;

constexpr std::string_view kTool = "amd-smi";

// Something else may be printed before the JSON, and after it.
std::optional<Json> json_in(const Said& said) {
  const std::size_t start = said.out.find_first_of("[{");
  const std::size_t end = said.out.find_last_of("]}");
  if (said.end != Said::End::Whole || start == std::string::npos || end == std::string::npos ||
      end < start) {
    return std::nullopt;
  }
  auto json = parse_json(std::string_view(said.out).substr(start, end - start + 1), kTool);
  if (!json) return std::nullopt;
  return *std::move(json);
}

const Json* find(const Json* json, std::initializer_list<const char*> path) {
  for (const char* name : path) {
    if (json == nullptr || !json->is_object() || !json->contains(name)) return nullptr;
    json = &(*json)[name];
  }
  return json;
}

std::string text_of(const Json* json) {
  if (json == nullptr) return "";
  if (json->is_string()) return json->get<std::string>();
  if (json->is_number()) return dump_json(*json);
  return "";
}

// One list entry a GPU, by its number. Newer versions put the list into "gpu_data".
std::map<std::uint64_t, Json> by_gpu(const Said& said) {
  std::map<std::uint64_t, Json> found;
  const auto json = json_in(said);
  if (!json) return found;
  const Json* list = json->is_array() ? &*json : find(&*json, {"gpu_data"});
  if (list == nullptr || !list->is_array()) return found;
  for (const auto& entry : *list) {
    const auto gpu = whole_number(text_of(find(&entry, {"gpu"})));
    if (gpu && found.size() < kMostGpus) found.emplace(*gpu, entry);
  }
  return found;
}

std::uint64_t bytes_in(std::string_view unit, std::uint64_t otherwise) {
  if (unit == "B") return 1;
  if (unit == "KB" || unit == "KiB") return 1024;
  if (unit == "MB" || unit == "MiB") return kMebibyte;  // it means MiB
  if (unit == "GB" || unit == "GiB") return 1024 * kMebibyte;
  return otherwise;
}

// {"value": 20, "unit": "W"}, "20 W", 20 or "N/A". `unit` is what a bare number means; for memory,
// a unit that is told goes before.
Count leaf(const Json* json, std::uint64_t unit, bool memory = false) {
  std::string value = text_of(json);
  std::string told;
  if (json != nullptr && json->is_object()) {
    value = text_of(find(json, {"value"}));
    told = text_of(find(json, {"unit"}));
  } else if (const std::size_t space = value.find(' ');
             space != std::string::npos && thousandths(value.substr(0, space))) {
    told = value.substr(space + 1);
    value.resize(space);
  }
  return gpu_count(kTool, value, memory ? bytes_in(told, unit) : unit);
}

// The first of several names that has a value; the reason is that of the first.
Count first_of(const Json* json, std::initializer_list<const char*> names, std::uint64_t unit) {
  Count first;
  for (const char* name : names) {
    Count count = leaf(find(json, {name}), unit);
    if (count) return count;
    if (first.why.empty()) first = std::move(count);
  }
  return first;
}

std::optional<GpuProcess> parse_process(const Json& info) {
  GpuProcess process{.pid = process_number(text_of(find(&info, {"pid"}))),
                     .command = command_shown(text_of(find(&info, {"name"})))};
  if (process.pid == 0) return std::nullopt;
  if (process.command == "N/A") process.command.clear();
  const Json* memory = find(&info, {"memory_usage", "vram_mem"});
  if (memory == nullptr) memory = find(&info, {"mem_usage"});
  process.memory_bytes = leaf(memory, 1, true);
  return process;
}

Processes parse_processes(const std::map<std::uint64_t, Json>& all, std::uint64_t gpu,
                          const Said& said) {
  if (failed(said)) return Processes::missing(why_nothing(kTool, said));
  const auto entry = all.find(gpu);
  const Json* list = entry == all.end() ? nullptr : find(&entry->second, {"process_list"});
  if (list == nullptr || !list->is_array()) return Processes::missing(why_nothing(kTool, said));
  std::vector<GpuProcess> processes;
  for (const auto& item : *list) {
    const Json* info = find(&item, {"process_info"});
    if (info == nullptr) info = &item;
    // For none there is a text instead.
    if (text_of(info).starts_with("No running processes")) continue;
    auto process = parse_process(*info);
    if (!process) {
      return Processes::missing(
          concat(kTool, " lists a process that is not understood: ", shown(dump_json(*info), 100)));
    }
    if (processes.size() == kMostGpuProcesses) {
      return Processes::missing(
          concat(kTool, " lists more than ", kMostGpuProcesses, " processes"));
    }
    processes.push_back(*std::move(process));
  }
  return Processes::of(std::move(processes));
}

Gpu parse_gpu(std::uint64_t index, const Json& metric) {
  const Json* usage = find(&metric, {"usage"});
  // All of it may be one "N/A".
  Gpu gpu{.index = index,
          .utilization_pct = leaf(
              usage != nullptr && usage->is_object() ? find(usage, {"gfx_activity"}) : usage, 1)};
  gpu.memory_used_bytes = leaf(find(&metric, {"mem_usage", "used_vram"}), kMebibyte, true);
  gpu.memory_total_bytes = leaf(find(&metric, {"mem_usage", "total_vram"}), kMebibyte, true);
  gpu.temperature_c = first_of(find(&metric, {"temperature"}), {"edge", "hotspot"}, 1);
  gpu.power_mw =
      first_of(find(&metric, {"power"}),
               {"socket_power", "current_socket_power", "average_socket_power"}, kMilliwatts);
  return gpu;
}

}  // namespace

GpuList parse_amd_smi(const AmdSmiAnswers& answers) {
  const auto metrics = by_gpu(answers.metric);
  if (metrics.empty()) return GpuList::missing(why_nothing(kTool, answers.metric));
  const auto list = by_gpu(answers.list);
  const auto asics = by_gpu(answers.asic);
  const auto processes = by_gpu(answers.processes);
  const auto entry = [](const auto& all, std::uint64_t gpu) {
    const auto found = all.find(gpu);
    return found == all.end() ? nullptr : &found->second;
  };
  std::vector<Gpu> gpus;
  for (const auto& [index, metric] : metrics) {
    Gpu gpu = parse_gpu(index, metric);
    gpu.uuid = plain_id(text_of(find(entry(list, index), {"uuid"})));
    gpu.name = gpu_name(text_of(find(entry(asics, index), {"asic", "market_name"})));
    gpu.processes = parse_processes(processes, index, answers.processes);
    gpu.vendor = "amd";
    check_values(kTool, gpu);
    name_by_kfd(gpu, text_of(find(entry(list, index), {"bdf"})), answers.kfd);
    gpus.push_back(std::move(gpu));
  }
  return GpuList::of(std::move(gpus));
}

GpuList ask_amd_smi(const std::string& program, const std::string& kfd, const Deadline& deadline) {
  auto said = ask_tool(program,
                       {{"metric", "--json"},
                        {"list", "--json"},
                        {"static", "--asic", "--json"},
                        {"process", "--json"}},
                       deadline);
  return parse_amd_smi({.metric = std::move(said[0]),
                        .list = std::move(said[1]),
                        .asic = std::move(said[2]),
                        .processes = std::move(said[3]),
                        .kfd = kfd_gpus(kfd)});
}

}  // namespace yonder::outpost
