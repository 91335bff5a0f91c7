#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/resource_facts.h"
#include "outpost/kfd.h"
#include "outpost/limited_child.h"
#include "outpost/nvidia.h"

namespace yonder::outpost {

// Pure. What amd-smi answers to four questions, as JSON; its leaves are {"value", "unit"}, numbers
// or texts, depending on its version.
struct AmdSmiAnswers {
  Said metric;
  Said list;  // identities
  Said asic;  // names
  Said processes;
  std::vector<KfdGpu> kfd;
};
GpuList parse_amd_smi(const AmdSmiAnswers& answers);

// Pure. What rocm-smi answers: an object a card, all values are texts.
GpuList parse_rocm_smi(const Said& said);

GpuList ask_amd_smi(const std::string& program, const std::string& kfd, const Deadline& deadline);
GpuList ask_rocm_smi(const std::string& program, const Deadline& deadline);

}  // namespace yonder::outpost
