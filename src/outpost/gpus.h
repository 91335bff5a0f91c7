#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/resource_facts.h"

namespace yonder::outpost {

// What the vendors' own tools say of the GPUs of this machine, and who uses them. A tool that
// hangs is killed at the limit. Those of several vendors are one list. Leases and the queue are not
// looked at.
resources::Gpus look_at_gpus(Duration limit);

// Where it looks, for tests.
struct GpuPlaces {
  std::string path;     // the variable PATH
  std::string devices;  // "/dev"
  std::vector<std::string> nvidia;
  std::vector<std::string> amd;
  std::string kfd;  // as in kfd_directory()
};
resources::Gpus look_at_gpus(const GpuPlaces& places, const Deadline& deadline);

}  // namespace yonder::outpost
