#include <map>

#include "base/patience_test.h"
#include "base/text.h"
#include "chaos/lease_stage.h"
#include "outpost/gpu_claims.h"
#include "outpost/gpu_times.h"
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

// Since when each is known to have looked at the GPUs.
using Decided = std::map<std::string, std::int64_t>;

void note_decisions(const std::vector<SeenClaim>& claims, Decided& decided) {
  const std::int64_t now = wall_clock_ms();
  for (const auto& seen : claims) {
    if (seen.claim.suitable.empty()) decided.erase(seen.claim.run_id);
    if (!seen.claim.suitable.empty()) decided.emplace(seen.claim.run_id, now);
  }
}

// One that had not looked for long when the other was served had lost its turn.
bool had_let_pass(const SeenClaim& waiting, const SeenClaim& served, const Decided& decided) {
  const auto looked = decided.find(waiting.claim.run_id);
  const bool in_time = looked != decided.end() && looked->second <= served.claim.since_ms;
  const auto patience = to_milliseconds(outpost::gpu_times().decision);
  return !in_time && served.claim.since_ms - waiting.claim.since_ms >= patience;
}

// All want one of any: the holder of one came before all who wait.
void check_order(LeaseStage& stage, const std::vector<SeenClaim>& claims, const Decided& decided) {
  for (const auto& waiting : claims) {
    if (!waiting.waits()) continue;
    for (const auto& served : claims) {
      if (served.waits() || served.number <= waiting.number) continue;
      if (had_let_pass(waiting, served, decided)) continue;
      stage.tally.wrong(Wrong::Lie,
                        concat(served.claim.run_id, " was served before number ", waiting.number));
    }
  }
}

}  // namespace

void watch_leases(LeaseStage& stage) {
  std::size_t looks = 0;
  std::size_t longest = 0;
  Decided decided;
  while (!stage.calm.wait(Deadline::after(2ms))) {
    const auto place = outpost::open_lease_place(stage.place);
    if (!place) continue;
    const auto lock = outpost::lock_leases(*place, outpost::LeaseLock::ToLook, testing::patience());
    const auto claims = lock ? outpost::live_claims(*place) : lock.error();
    if (!claims) {
      stage.tally.wrong(Wrong::Answer, claims.error().message);
      continue;
    }
    ++looks;
    longest = std::max(longest, claims->size());
    check_holders(stage, *claims);
    note_decisions(*claims, decided);
    check_order(stage, *claims, decided);
  }
  stage.tally.answer(concat("looks at the claims: ", looks, ", the most claims: ", longest));
}

}  // namespace yonder::chaos
