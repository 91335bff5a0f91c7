#pragma once

#include <cstdint>
#include <string>

#include "base/resource_facts.h"

// Whether a GPU may be given to somebody: one judgement for both ends, the machine that hands GPUs
// out and the one that chooses a machine. Pure.
namespace yonder::resources {

// "GPU 1"
std::string name_of(const Gpu& gpu);

// Empty: it is free, with `memory_mb` to spare (0: any). Else a clause about the GPU, such as "is
// held by alice (run r-..., since 2026-01-31T12:00:00Z)".
std::string why_not_free(const Gpu& gpu, std::uint64_t memory_mb);

// Empty: it could serve such a run once nobody else has it. Else a clause, as above.
std::string why_never_free(const Gpu& gpu, std::uint64_t memory_mb);

// The same for whoever comes now and stands behind all who wait: what suits one of them is not
// free, such as "is for bob, who waits". Nor is anything while leases cannot be seen.
std::string why_not_free_now(const Gpus& gpus, const Gpu& gpu, std::uint64_t memory_mb);
// Not known while leases cannot be seen, unless something else shows that it is in use.
Measured<bool> is_free(const Gpus& gpus, const Gpu& gpu);

}  // namespace yonder::resources
