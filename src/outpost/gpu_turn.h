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
std::vector<resources::Waiting> queue_of(const std::vector<SeenClaim>& claims, uid_t asker,
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
// Claim `number` may take what is free and suits nobody who came before: so nobody waits longer
// because of somebody who came later, and nobody waits for a GPU that the one before cannot use.
Turn decide_turn(std::uint64_t number, const wire::GpuClaim& mine,
                 const std::vector<SeenClaim>& claims, const resources::Gpus& gpus);

// Without asking the tool: whether there can be enough left, going by the claims alone.
bool may_have_turn(std::uint64_t number, const wire::GpuClaim& mine,
                   const std::vector<SeenClaim>& claims);

}  // namespace yonder::outpost
