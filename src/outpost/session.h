#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "outpost/machine.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// Names that people give to background runs: <state>/sessions/<hash> is a link to the newest run of
// that name. A home may be shared by several machines; each of them has names of its own.

// Pure. The name without the blanks around it, or why it cannot be one.
Result<std::string> check_session_name(std::string_view name);

// The newest run of that name on this machine.
std::optional<RunRecord> find_by_session(const Surroundings& around, std::string_view name);

// Conflict while another run of that name lives. Whoever asks in order to claim holds lock_keys().
Result<void> check_session_free(const Surroundings& around, const std::string& name,
                                const RunRecord& record);
// From now on the name means this run.
Result<void> claim_session(const Surroundings& around, const std::string& name,
                           const RunRecord& record);

// The run to be stopped when a session was named; NotFound says whose the name is otherwise.
Result<RunRecord> session_to_stop(const Surroundings& around, const std::string& name);

}  // namespace yonder::outpost
