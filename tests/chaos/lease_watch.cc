#include <map>

#include "base/text.h"
#include "chaos/lease_stage.h"
#include "outpost/gpu_claims.h"
#include "outpost/lease_place.h"

namespace yonder::chaos {
namespace {

using namespace std::chrono_literals;
using outpost::SeenClaim;

void check_holders(LeaseStage& stage, const std::vector<SeenClaim>& claims) {
  std::map<std::string, std::string> holders;
  for (const auto& seen : claims) {
    for (const auto& gpu : seen.claim.held) {
      const auto [other, fresh] = holders.emplace(gpu.uuid, seen.claim.run_id);
      if (fresh) continue;
      stage.tally.wrong(Wrong::Double,
                        concat(gpu.uuid, " of ", other->second, " and ", seen.claim.run_id));
    }
  }
}

// All want one of any: whoever holds one came before all who wait.
void check_order(LeaseStage& stage, const std::vector<SeenClaim>& claims) {
  std::uint64_t first_waiting = ~std::uint64_t{0};
  for (const auto& seen : claims) {
    if (seen.waits()) first_waiting = std::min(first_waiting, seen.number);
    if (!seen.waits() && seen.number > first_waiting) {
      stage.tally.wrong(Wrong::Lie,
                        concat(seen.claim.run_id, " was served before number ", first_waiting));
    }
  }
}

}  // namespace

void watch_leases(LeaseStage& stage) {
  std::size_t looks = 0;
  std::size_t longest = 0;
  while (!stage.calm.wait(Deadline::after(2ms))) {
    const auto place = outpost::open_lease_place(stage.place);
    if (!place) continue;
    const auto lock = outpost::lock_leases(*place, outpost::LeaseLock::ToLook, Deadline::after(5s));
    const auto claims = lock ? outpost::live_claims(*place) : lock.error();
    if (!claims) {
      stage.tally.wrong(Wrong::Answer, claims.error().message);
      continue;
    }
    ++looks;
    longest = std::max(longest, claims->size());
    check_holders(stage, *claims);
    check_order(stage, *claims);
  }
  stage.tally.answer(concat("looks at the claims: ", looks, ", the most claims: ", longest));
}

}  // namespace yonder::chaos
