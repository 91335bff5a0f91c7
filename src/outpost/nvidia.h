#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/resource_facts.h"
#include "outpost/limited_child.h"

namespace yonder::outpost {

using GpuList = resources::Measured<std::vector<resources::Gpu>>;

// Drivers before MIG do not know its field.
enum class MigField { Asked, NotAsked };

// Pure. The answer to --query-gpu, without what runs on each. A list may come with a reason: then
// it lacks a GPU.
GpuList parse_nvidia_gpus(const Said& said, MigField mig);
// Pure. The driver is too old for the question about MIG.
bool knows_no_mig(const Said& said);

// Pure. The answer to --query-compute-apps, by the UUID of a GPU; commands are as the tool says.
using NvidiaApps = std::multimap<std::string, resources::GpuProcess>;
resources::Measured<NvidiaApps> parse_nvidia_apps(const Said& said);

// Pure. The answer to -L: the UUIDs of slices, by the UUID of their GPU.
std::map<std::string, std::vector<std::string>> parse_nvidia_slices(std::string_view list);

// Pure. Puts every process to its GPU.
void assign_apps(std::vector<resources::Gpu>& gpus, const resources::Measured<NvidiaApps>& apps);

GpuList ask_nvidia_smi(const std::string& program, const Deadline& deadline);

}  // namespace yonder::outpost
