#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/resource_facts.h"
#include "outpost/gpu_claims.h"

namespace yonder::outpost {

// Who gets which GPU. Pure: given what all want, and what the machine's own tool shows.

// Those that could ever serve the claim: known by a UUID, whole, and large enough.
std::vector<std::string> suitable_gpus(const std::vector<resources::Gpu>& gpus,
                                       std::uint64_t memory_mb);

// Writes the leases into the list.
void mark_leases(std::vector<resources::Gpu>& gpus, const std::vector<SeenClaim>& claims,
                 uid_t asker);
// `gpus` has its leases marked.
std::vector<resources::Waiting> queue_of(const std::vector<SeenClaim>& claims, uid_t asker,
                                         const std::vector<resources::Gpu>& gpus,
                                         std::int64_t now_ms);

// Those that another claim has to reckon with: neither itself, nor who waits and still does not
// know what could serve him. He keeps his number, for when he does.
std::vector<SeenClaim> in_line(std::vector<SeenClaim> claims, const std::string& run_id,
                               std::int64_t now_ms);

struct Turn {
  std::vector<wire::GivenGpu> take;  // as many as are wanted, or none
  std::uint64_t ahead = 0;           // waiting claims that may want the same GPUs and came before
  bool others_undecided = false;     // one of those has not looked yet
  std::vector<std::string> holders;  // a sentence for each suitable GPU
};
// Claim `number` may take what is free and not kept for an earlier claim. A GPU is kept for each
// earlier claim that it suits, with two exceptions, in which keeping it would only idle it: the
// earlier claim needs a GPU that is out of order or used without a lease; or it needs one that is
// leased, and came less than gpu_times().passing ago.
Turn decide_turn(std::uint64_t number, const wire::GpuClaim& mine,
                 const std::vector<SeenClaim>& claims, const resources::Gpus& gpus,
                 std::int64_t now_ms);

// Going by the claims alone: whether enough GPUs that suit it are not leased.
bool enough_unleased(const wire::GpuClaim& mine, const std::vector<SeenClaim>& claims);

}  // namespace yonder::outpost
