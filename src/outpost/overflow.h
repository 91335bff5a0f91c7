#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "outpost/machine.h"
#include "outpost/room.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// Where the record of a foreground run goes when its usual place has no room: a full disk must not
// keep a user from the very command that would free it. Only the record is elsewhere. Keys stay
// where they are, and say on which machine such a record is.

// Pure. The places for it, best first, each laid out like a state directory.
std::vector<std::string> overflow_candidates(const std::string& state_dir,
                                             const std::string& runtime_dir,
                                             const std::string& user_id);

// Such a place exists, and no other user can have made anything in it.
bool is_our_own(const std::string& place);
// Makes it ours, and looks whether it has so much room.
Result<void> claim_overflow(const std::string& place, std::uint64_t least = kLeastRoom);

// The record of this run, wherever it is. The usual place counts first.
std::optional<RunRecord> find_record(const Surroundings& around, const RunId& id);
// All records that are in such places.
std::vector<RunRecord> overflow_records(const Surroundings& around);

// What the link of a key says: the run, and of a record in such a place the machine that has it. A
// home may be shared by machines that do not see it.
struct KeyTarget {
  RunId id;
  std::string host;  // empty: the record is in the usual place
};
std::string key_target(const Surroundings& around, const RunRecord& record);
std::optional<KeyTarget> read_key_target(const std::string& link);

// Leaves in a new record why it is not in its usual place, and reads that.
Result<void> note_moved(const RunRecord& record, const Error& why);
std::optional<wire::MovedRecord> read_moved(const RunRecord& record);

// After the directory of a record was made, and before anything is written into it. Another process
// may have been asked for the same run at the same moment, and have found another place for it: the
// record that is to be used instead of this one, if there is one. Of two that see each other, the
// one in the better place stays.
Result<std::optional<RunRecord>> find_rival(const Surroundings& around, const RunRecord& record);

}  // namespace yonder::outpost
