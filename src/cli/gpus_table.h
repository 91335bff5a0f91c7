#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/table.h"
#include "ops/machines.h"

namespace yonder::cli {

// Pure: what `yonder gpus` shows.

// "free", who has it, or why nobody can have it; "?" while leases cannot be seen.
std::string gpu_holder(const resources::Gpus& gpus, const resources::Gpu& gpu);

Row gpus_header();
// One for each GPU.
std::vector<Row> gpus_rows(const std::vector<ops::MachineSeen>& machines, std::int64_t now_ms);
// Below them: who waits, and which machines say nothing of GPUs.
std::vector<std::string> gpus_notes(const std::vector<ops::MachineSeen>& machines,
                                    std::int64_t now_ms);

}  // namespace yonder::cli
