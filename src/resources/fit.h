#pragma once

#include <string>
#include <vector>

#include "base/resource_facts.h"

namespace yonder::resources {

// Why a machine cannot serve a run, one clause for each reason; empty: it fits. Pure.

using Reasons = std::vector<std::string>;

// "has no label 'a100'"
Reasons why_labels_lack(const std::vector<std::string>& labels,
                        const std::vector<std::string>& wanted);
// Memory, disk, and the directory to start in, now.
Reasons why_room_lacks(const MachineFacts& facts, const Needs& needs);
// "'/work' does not exist", of the directory to start in; empty when it is there, or not known.
std::string missing_directory(const MachineFacts& facts);
// GPUs that are free now.
Reasons why_gpus_lack(const MachineFacts& facts, const Needs& needs);
// GPUs that could be free some day.
Reasons why_gpus_never_serve(const MachineFacts& facts, const Needs& needs);

// All of them. `may_wait`: its GPUs may be in use now.
Reasons why_not_fit(const MachineFacts& facts, const std::vector<std::string>& labels,
                    const Needs& needs, bool may_wait);

}  // namespace yonder::resources
