#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace yonder::outpost {

// Pure. How tmux can have this name: it uses `.` and `:` in addresses, and runs what stands in
// `#(...)`.
std::string tmux_name(std::string_view session);

// The names of the user's tmux sessions; none when no tmux server runs. Unsupported: there is no
// tmux here. Works where children are not waited for.
Result<std::vector<std::string>> tmux_sessions(const Deadline& deadline);

// Whether there is such a session, whoever started it; nothing when tmux does not tell.
std::optional<bool> tmux_has(std::string_view session, const Deadline& deadline);

// A new session in the background that runs `argv`, without a shell between. A session that has the
// name already is left alone, and Conflict is returned.
Result<void> tmux_open(const std::string& name, const std::vector<std::string>& argv,
                       const Deadline& deadline);

}  // namespace yonder::outpost
