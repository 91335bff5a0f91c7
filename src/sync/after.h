#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sync/base_record.h"
#include "sync/ends.h"
#include "sync/plan.h"
#include "sync/tally.h"

namespace yonder::sync {

// What is written down about a sync, for the next one. Pure.

// Before it changes anything: what it is going to send, for BaseStore::note_intents(). The paths
// begin with `prefix`.
std::string intents_of(const Plan& plan, const std::string& prefix);

// What the target is now; a conflict stays one until somebody decides it.
BaseRecord target_after(const Plan& plan, const Look& look, const Tally& tally,
                        const std::optional<BaseRecord>& before);
// What the next sync back would meet: the source as it is. What did not get through is news to the
// other side, and must not be overwritten by it.
BaseRecord source_after(const Plan& plan, const Look& look, const Tally& tally,
                        const std::optional<BaseRecord>& before);

// The entries that are not as they should be now, for one reason or another.
std::set<std::string_view> unsettled(const Plan& plan, const Tally& tally);

// What a greater tree's record says after a sync of its part below `prefix`, which has left `part`.
// What is unsettled there stays as it was.
BaseRecord with_part(BaseRecord whole, const BaseRecord& part, const std::string& prefix,
                     const std::set<std::string_view>& unsettled);
// The same for what was removed.
void forget_removed(BaseRecord& whole, const Plan& plan, const Tally& tally,
                    const std::string& prefix);

// Adds what was done to the report.
void count(SyncReport& report, const Action& action);
void count(SyncReport& report, const Plan& plan, const Tally& tally);
// Of an attempt that was cut off: what it had to do, and was not seen to fail at.
std::vector<Action> perhaps_done(const Plan& plan, const Tally& tally);
// What an attempt that was cut off had to do, and the next one has not, was done. Gives how many
// things of the target it has replaced or removed.
std::uint64_t count_done(SyncReport& report, const std::vector<Action>& cut, const Plan& now);

}  // namespace yonder::sync
