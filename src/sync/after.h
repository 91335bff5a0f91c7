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

// The entries that are not as they should be now, for one reason or another.
std::set<std::string_view> unsettled(const Plan& plan, const Tally& tally);

// What this sync has brought about, or found to be so: nobody has to ask who did it. In the source
// that is what the next sync back would meet; what did not get through is news to the other side,
// and must not be overwritten by it.
BaseRecord settled_in_target(const Plan& plan, const Look& look, const Tally& tally);
BaseRecord settled_in_source(const Plan& plan, const Look& look, const Tally& tally);

// With what is known from before of all the rest: a conflict stays one until somebody decides it,
// whatever syncs come in between.
BaseRecord target_after(const BaseRecord& settled, const Plan& plan, const Look& look,
                        const Tally& tally, const std::optional<BaseRecord>& before);
BaseRecord source_after(const BaseRecord& settled, const Look& look,
                        const std::optional<BaseRecord>& before);

// What a greater tree's record says after a sync of its part below `prefix`.
BaseRecord with_part(BaseRecord whole, const BaseRecord& settled, const std::string& prefix);
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
