#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sync/base_record.h"
#include "sync/ends.h"
#include "sync/next_record.h"
#include "sync/plan.h"
#include "sync/tally.h"

namespace yonder::sync {

// What is written down about a sync, for the next one. Pure.

// Before it changes anything: what it is going to send, for BaseStore::note_intents(). The paths
// begin with `prefix`.
std::string intents_of(const Plan& plan, const std::string& prefix);
// Of these the directories only.
std::string directory_intents_of(const Plan& plan, const std::string& prefix);

// The entries that are not as they should be now, for one reason or another.
std::set<std::string_view> unsettled(const Plan& plan, const Tally& tally);

// What this sync has brought about, or found to be so: nobody has to ask who did it. In the source
// that is what the next sync back would meet; what did not get through is news to the other side,
// and must not be overwritten by it. A path may come twice: the last time counts.
// Where the ends still have other modes, the one that they had in common stays known.
using Settled = std::function<void(const std::string& path, const Known& known)>;
using ModeBefore = std::function<AgreedMode(const std::string& path, tree::Type type)>;
using KnownBefore = std::function<const Known*(const std::string& path)>;
struct Outcome {
  const Plan& plan;
  const Look& look;
  const Tally& tally;
  ModeBefore mode_before;
  KnownBefore known_before;
};
void for_settled_in_target(const Outcome& outcome, const Settled& work);
void for_settled_in_source(const Outcome& outcome, const Settled& work);
// What it has removed there.
void for_removed(const Plan& plan, const Tally& tally,
                 const std::function<void(const std::string& path)>& work);

// With what is known from before of all the rest: a conflict stays one until somebody decides it,
// whatever syncs come in between.
NextRecord target_after(const Plan& plan, const Look& look, const Tally& tally,
                        std::optional<BaseRecord> before);
NextRecord source_after(const Plan& plan, const Look& look, const Tally& tally,
                        std::optional<BaseRecord> before);

// Adds what was done to the report.
void count(SyncReport& report, const Action& action);
void count(SyncReport& report, const Plan& plan, const Tally& tally);
// Of an attempt that was cut off: what it had to do, and was not seen to fail at.
std::vector<Action> perhaps_done(const Plan& plan, const Tally& tally);
// What an attempt that was cut off had to do, and the next one finds in the target, was done. Gives
// how many things of the target it has replaced or removed.
std::uint64_t count_done(SyncReport& report, const std::vector<Action>& cut, const Plan& now,
                         const tree::Listing& target);

}  // namespace yonder::sync
