#include "outpost/nvidia.h"

#include <algorithm>

#include "base/text.h"
#include "outpost/gpu_processes.h"
#include "outpost/gpu_values.h"
#include "outpost/numbers.h"
#include "outpost/tool.h"

namespace yonder::outpost {
namespace {

using resources::Gpu;
using resources::GpuProcess;

constexpr std::string_view kTool = "nvidia-smi";
constexpr std::string_view kMigField = "mig.mode.current";
constexpr const char* kFormat = "--format=csv,noheader,nounits";
constexpr const char* kGpuQuestion =
    "--query-gpu=index,uuid,name,utilization.gpu,memory.used,memory.total,temperature.gpu,"
    "power.draw";
constexpr const char* kAppsQuestion = "--query-compute-apps=gpu_uuid,pid,process_name,used_memory";

std::vector<std::string> values_in(std::string_view line) {
  std::vector<std::string> values = split(line, ',');
  for (auto& value : values) value = std::string(trim(value));
  return values;
}

// A name may hold commas: it is what is left between the columns before and after it.
std::string middle(const std::vector<std::string>& values, std::size_t first, std::size_t end) {
  return join({values.begin() + static_cast<std::ptrdiff_t>(first),
               values.begin() + static_cast<std::ptrdiff_t>(end)},
              ", ");
}

std::optional<Gpu> parse_gpu(std::string_view line, MigField mig) {
  constexpr std::size_t kName = 2;
  const std::size_t after_name = mig == MigField::Asked ? 6 : 5;
  const auto values = values_in(line);
  if (values.size() < kName + 1 + after_name) return std::nullopt;
  const auto index = whole_number(values[0]);
  if (!index) return std::nullopt;
  const std::size_t rest = values.size() - after_name;
  Gpu gpu{.index = *index,
          .uuid = plain_id(values[1]),
          .name = gpu_name(middle(values, kName, rest)),
          .utilization_pct = gpu_count(kTool, values[rest], 1),
          .memory_used_bytes = gpu_count(kTool, values[rest + 1], kMebibyte),
          .memory_total_bytes = gpu_count(kTool, values[rest + 2], kMebibyte),
          .temperature_c = gpu_count(kTool, values[rest + 3], 1),
          .power_mw = gpu_count(kTool, values[rest + 4], kMilliwatts)};
  gpu.split = mig == MigField::Asked && values[rest + 5] == "Enabled";
  gpu.vendor = "nvidia";
  check_values(kTool, gpu);
  return gpu;
}

std::optional<std::pair<std::string, GpuProcess>> parse_app(std::string_view line) {
  const auto values = values_in(line);
  if (values.size() < 4) return std::nullopt;
  const std::int64_t pid = process_number(values[1]);
  if (pid == 0) return std::nullopt;
  std::string name = middle(values, 2, values.size() - 1);
  if (name.starts_with('[')) name.clear();  // "[Not Found]" and the like
  return std::pair(values[0],
                   GpuProcess{.pid = pid,
                              .command = command_shown(name),
                              .memory_bytes = gpu_count(kTool, values.back(), kMebibyte)});
}

// The text between "(UUID: " and ")".
std::string uuid_in(std::string_view line) {
  constexpr std::string_view kBefore = "(UUID: ";
  const std::size_t start = line.find(kBefore);
  if (start == std::string_view::npos) return "";
  line.remove_prefix(start + kBefore.size());
  return std::string(line.substr(0, line.find(')')));
}

// Old drivers name slices MIG-GPU-x/1/0.
std::string slice_id(std::string_view said) {
  std::vector<std::string> parts = split(said, '/');
  for (auto& part : parts) {
    part = plain_id(part);
    if (part.empty()) return "";
  }
  return join(parts, "/");
}

bool is_warning(std::string_view line) {
  return trim(line).starts_with("WARNING: infoROM is corrupted");
}

// It fails after a whole answer when all it has against a GPU is a worn record of its making.
bool ended_badly(const Said& said) {
  constexpr int kOnlyTheRecord = 14;
  const auto lines = split(said.out + "\n" + said.err, '\n');
  const bool warned = std::any_of(lines.begin(), lines.end(), is_warning);
  return failed(said) && (said.status != kOnlyTheRecord || !warned);
}

// What it says of one that does not answer; empty: nothing.
std::string lost_gpu(const Said& said) {
  for (const auto& line : split(said.out + "\n" + said.err, '\n')) {
    if (!line.starts_with("Unable to determine the device handle")) continue;
    return concat(kTool, ": ", first_line({.out = line}, ""));
  }
  return "";
}

void find_slices(std::vector<Gpu>& gpus, const std::string& program, const Deadline& deadline) {
  const auto is_split = [](const Gpu& gpu) { return gpu.split; };
  if (std::none_of(gpus.begin(), gpus.end(), is_split)) return;
  const auto said = ask_tool(program, {{"-L"}}, deadline);
  const auto slices = parse_nvidia_slices(said[0].out);
  for (auto& gpu : gpus) {
    const auto found = slices.find(gpu.uuid);
    if (found != slices.end()) gpu.slices = found->second;
  }
}

}  // namespace

GpuList parse_nvidia_gpus(const Said& said, MigField mig) {
  if (said.end != Said::End::Whole) return GpuList::missing(why_nothing(kTool, said));
  std::vector<Gpu> gpus;
  for (const auto& line : split(said.out, '\n')) {
    if (gpus.size() == kMostGpus) break;
    if (auto gpu = parse_gpu(line, mig)) gpus.push_back(*std::move(gpu));
  }
  if (gpus.empty() && trim(said.out).starts_with("No devices were found")) return GpuList::of({});
  // A chip that is worn out makes it fail after all, but does not make the others wrong.
  std::string lost = lost_gpu(said);
  if (gpus.empty() || (ended_badly(said) && lost.empty())) {
    return GpuList::missing(why_nothing(kTool, said));
  }
  return {.value = std::move(gpus), .why = std::move(lost)};
}

bool knows_no_mig(const Said& said) {
  return (said.out + said.err).find(concat("Field \"", kMigField, "\" is not a valid")) !=
         std::string::npos;
}

resources::Measured<NvidiaApps> parse_nvidia_apps(const Said& said) {
  using Apps = resources::Measured<NvidiaApps>;
  const bool only_warned = failed(said) && !ended_badly(said);
  if (ended_badly(said) || (trim(said.out).empty() && !trim(said.err).empty() && !only_warned)) {
    return Apps::missing(why_nothing(kTool, said));
  }
  NvidiaApps apps;
  for (const auto& line : split(said.out, '\n')) {
    if (trim(line).empty() || line.starts_with("No running") || is_warning(line)) continue;
    if (apps.size() == kMostGpuProcesses) {
      return Apps::missing(concat(kTool, " lists more than ", kMostGpuProcesses, " processes"));
    }
    auto app = parse_app(line);
    if (!app) return Apps::missing(why_nothing(kTool, {.out = line}));
    apps.insert(*std::move(app));
  }
  return Apps::of(std::move(apps));
}

std::map<std::string, std::vector<std::string>> parse_nvidia_slices(std::string_view list) {
  std::map<std::string, std::vector<std::string>> slices;
  std::string gpu;
  for (const auto& line : split(list, '\n')) {
    if (line.starts_with("GPU ")) gpu = uuid_in(line);
    if (!trim(line).starts_with("MIG ") || gpu.empty()) continue;
    const std::string slice = slice_id(uuid_in(line));
    if (!slice.empty() && slices[gpu].size() < kMostGpus) slices[gpu].push_back(slice);
  }
  return slices;
}

void assign_apps(std::vector<Gpu>& gpus, const resources::Measured<NvidiaApps>& apps) {
  using Processes = resources::Measured<std::vector<GpuProcess>>;
  std::size_t assigned = 0;
  for (auto& gpu : gpus) {
    if (!apps) {
      gpu.processes = Processes::missing(apps.why);
      continue;
    }
    std::vector<GpuProcess> here;
    for (const auto& [uuid, process] : *apps) {
      const bool in_slice =
          std::find(gpu.slices.begin(), gpu.slices.end(), uuid) != gpu.slices.end();
      if ((!uuid.empty() && uuid == gpu.uuid) || in_slice) here.push_back(process);
    }
    assigned += here.size();
    gpu.processes = Processes::of(std::move(here));
  }
  if (!apps || assigned >= (*apps).size()) return;
  // It runs on one of these, so none of them can be called idle.
  for (auto& gpu : gpus) {
    gpu.processes =
        Processes::missing(concat(kTool, " names a process without saying on which GPU it runs"));
  }
}

GpuList ask_nvidia_smi(const std::string& program, const Deadline& deadline) {
  auto said =
      ask_tool(program, {{concat(kGpuQuestion, ",", kMigField), kFormat}, {kAppsQuestion, kFormat}},
               deadline);
  MigField mig = MigField::Asked;
  if (knows_no_mig(said[0])) {
    mig = MigField::NotAsked;
    said[0] = std::move(ask_tool(program, {{kGpuQuestion, kFormat}}, deadline)[0]);
  }
  auto list = parse_nvidia_gpus(said[0], mig);
  if (!list) return list;
  find_slices(*list.value, program, deadline);
  assign_apps(*list.value, parse_nvidia_apps(said[1]));
  return list;
}

}  // namespace yonder::outpost
