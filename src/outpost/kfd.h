#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource_facts.h"

namespace yonder::outpost {

// What the kernel's compute driver says of AMD's GPUs. Programs are told by its names which GPUs to
// use; those of AMD's own tools mean nothing to them.

struct KfdGpu {
  std::uint64_t unique_id = 0;  // 0: the card has none
  std::uint64_t domain = 0;     // of PCI
  std::uint64_t location = 0;   // bus, device and function
};

// Pure. The "properties" of a node; false: it is no GPU.
bool parse_kfd_node(std::string_view properties, KfdGpu& gpu);

// In the order in which they are counted. `root` is "/sys/class/kfd/kfd".
std::vector<KfdGpu> kfd_gpus(const std::string& root);
// YONDER_KFD, or the kernel's own.
std::string kfd_directory();

// Pure. Gives the GPU at this place of PCI ("0000:05:00.0") a name that stays, and what programs
// call it; or says why it cannot be given to a run.
void name_by_kfd(resources::Gpu& gpu, std::string_view bdf, const std::vector<KfdGpu>& all);

// Pure. "GPU-0123456789abcdef"
std::string kfd_name(std::uint64_t unique_id);

}  // namespace yonder::outpost
