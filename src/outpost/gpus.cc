#include "outpost/gpus.h"

#include <dirent.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/clean_text.h"
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

Gpus with_list(const char* vendor, const std::string& tool, GpuList list) {
  if (list) see_processes(*list.value);
  Gpus gpus{.vendor = vendor, .tool = printable(tool), .list = std::move(list)};
  return gpus;
}

// There is no tool: the devices alone say that there are GPUs.
Gpus without_tool(const Devices& devices) {
  if (devices.nvidia) {
    return {.vendor = "nvidia",
            .list = GpuList::missing("there is an NVIDIA device, but no nvidia-smi to ask")};
  }
  if (devices.amd) {
    return {.vendor = "amd",
            .list = GpuList::missing("there is an AMD device, but no amd-smi or rocm-smi to ask")};
  }
  return {.list = GpuList::of({})};
}

}  // namespace

Gpus look_at_gpus(const GpuPlaces& places, const Deadline& deadline) {
  if (const auto tool = find_tool("nvidia-smi", places.path, places.nvidia); !tool.empty()) {
    return with_list("nvidia", tool, ask_nvidia_smi(tool, deadline));
  }
  if (const auto tool = find_tool("amd-smi", places.path, places.amd); !tool.empty()) {
    return with_list("amd", tool, ask_amd_smi(tool, deadline));
  }
  if (const auto tool = find_tool("rocm-smi", places.path, places.amd); !tool.empty()) {
    return with_list("amd", tool, ask_rocm_smi(tool, deadline));
  }
  return without_tool(find_devices(places.devices));
}

Gpus look_at_gpus(Duration limit) {
  const char* path = std::getenv("PATH");
  return look_at_gpus({.path = path == nullptr ? "" : path,
                       .devices = "/dev",
                       .nvidia = {"/usr/bin", "/usr/local/bin", "/usr/local/nvidia/bin",
                                  "/usr/lib/wsl/lib", "/run/current-system/sw/bin"},
                       .amd = {"/opt/rocm/bin", "/usr/bin", "/usr/local/bin"}},
                      Deadline::after(limit));
}

}  // namespace yonder::outpost
