#include "outpost/gpus.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/clean_text.h"
#include "base/environment.h"
#include "base/text.h"
#include "outpost/amd.h"
#include "outpost/gpu_processes.h"
#include "outpost/nvidia.h"
#include "outpost/tool.h"

namespace yonder::outpost {
namespace {

using resources::Gpus;

struct Devices {
  bool nvidia = false;
  bool amd = false;
};

bool is_nvidia(std::string_view name) {
  return name == "nvidiactl" ||
         (name.starts_with("nvidia") && name.size() > 6 && name[6] >= '0' && name[6] <= '9');
}

Devices find_devices(const std::string& directory) {
  Devices found;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
  if (!listing) return found;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    found.nvidia = found.nvidia || is_nvidia(name);
    found.amd = found.amd || name == "kfd";
  }
  return found;
}

// What is known of the GPUs of one vendor.
struct Asked {
  std::string vendor;
  std::string tool;  // empty: there is none
  GpuList list;
};

Asked no_tool(const char* vendor, bool device, const char* why) {
  return {.vendor = vendor,
          .tool = "",
          .list = device ? GpuList::missing(why) : GpuList::of(std::vector<resources::Gpu>())};
}

Asked ask_nvidia(const std::string& tool, const Devices& devices, const Deadline& deadline) {
  if (tool.empty()) {
    return no_tool("nvidia", devices.nvidia, "there is an NVIDIA device, but no nvidia-smi to ask");
  }
  return {.vendor = "nvidia", .tool = tool, .list = ask_nvidia_smi(tool, deadline)};
}

Asked ask_amd(const GpuPlaces& places, const Devices& devices, const Deadline& deadline) {
  const auto newer = find_tool("amd-smi", places.path, places.amd);
  const auto older = find_tool("rocm-smi", places.path, places.amd);
  Asked asked =
      no_tool("amd", devices.amd, "there is an AMD device, but no amd-smi or rocm-smi to ask");
  if (!newer.empty()) {
    asked = {.vendor = "amd", .tool = newer, .list = ask_amd_smi(newer, places.kfd, deadline)};
  }
  if (older.empty() || (!newer.empty() && asked.list)) return asked;
  Asked again{.vendor = "amd", .tool = older, .list = ask_rocm_smi(older, deadline)};
  if (newer.empty()) return again;
  if (!again.list) return asked;
  for (auto& gpu : *again.list.value) gpu.never += concat(" (", asked.list.why, ")");
  return again;
}

void add_text(std::string& all, const std::string& more, const char* between) {
  if (!all.empty() && !more.empty()) all += between;
  all += more;
}

// A run cannot say which kind it wants, and a program of the one has no use for the other.
void keep_to_one_vendor(std::vector<resources::Gpu>& list) {
  const bool nvidia =
      std::any_of(list.begin(), list.end(), [](auto& gpu) { return gpu.vendor == "nvidia"; });
  for (auto& gpu : list) {
    if (!nvidia || gpu.vendor == "nvidia" || !gpu.never.empty()) continue;
    gpu.never = "where there are NVIDIA GPUs too, only those are given to runs";
  }
}

// A run is told its GPUs by their UUIDs: one that means two cards could be given to two runs.
void refuse_shared_uuids(std::vector<resources::Gpu>& list) {
  for (auto& gpu : list) {
    const auto other = std::find_if(list.begin(), list.end(), [&](const auto& one) {
      return &one != &gpu && !gpu.uuid.empty() && one.uuid == gpu.uuid;
    });
    if (other == list.end() || !gpu.never.empty()) continue;
    gpu.never = concat("it has the same UUID as GPU ", other->index);
  }
}

Gpus joined(std::vector<Asked> vendors) {
  Gpus gpus;
  std::string missing;
  std::string lacking;
  std::vector<resources::Gpu> list;
  for (auto& asked : vendors) {
    // Many processors have a little GPU of AMD's, for which nobody installs a tool.
    if (!asked.list && asked.tool.empty() && !list.empty()) continue;
    const bool none = asked.list && (*asked.list).empty();
    if (!asked.tool.empty()) add_text(gpus.tool, printable(asked.tool), ", ");
    if (!none) add_text(gpus.vendor, asked.vendor, ", ");
    add_text(asked.list ? lacking : missing, asked.list.why, "; ");
    if (!asked.list) continue;
    for (auto& gpu : *asked.list.value) list.push_back(std::move(gpu));
  }
  if (list.empty() && !missing.empty()) {
    gpus.list = GpuList::missing(missing);
    return gpus;
  }
  add_text(missing, lacking, "; ");
  gpus.unseen = std::move(missing);
  keep_to_one_vendor(list);
  refuse_shared_uuids(list);
  see_processes(list);
  gpus.list = GpuList::of(std::move(list));
  return gpus;
}

}  // namespace

Gpus look_at_gpus(const GpuPlaces& places, const Deadline& deadline) {
  const Devices devices = find_devices(places.devices);
  const auto nvidia = find_tool("nvidia-smi", places.path, places.nvidia);
  const bool amd = !find_tool("amd-smi", places.path, places.amd).empty() ||
                   !find_tool("rocm-smi", places.path, places.amd).empty();
  // One that hangs must leave time for the other.
  const Deadline first = nvidia.empty() || !amd || deadline.is_never()
                             ? deadline
                             : Deadline::after(deadline.remaining() / 2);
  std::vector<Asked> vendors;
  vendors.push_back(ask_nvidia(nvidia, devices, first));
  vendors.push_back(ask_amd(places, devices, deadline));
  return joined(std::move(vendors));
}

Gpus look_at_gpus(Duration limit) {
  return look_at_gpus({.path = environment("PATH"),
                       .devices = "/dev",
                       .nvidia = {"/usr/bin", "/usr/local/bin", "/usr/local/nvidia/bin",
                                  "/usr/lib/wsl/lib", "/run/current-system/sw/bin"},
                       .amd = {"/opt/rocm/bin", "/usr/bin", "/usr/local/bin"},
                       .kfd = kfd_directory()},
                      Deadline::after(limit));
}

}  // namespace yonder::outpost
