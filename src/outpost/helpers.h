#pragma once

#include <optional>

namespace yonder::outpost {

// The processes of a run for which the outpost starts itself again, by their first argument:
//   enter DIR           becomes a run's command, from inside a login shell
//   supervise DIR L C   becomes a run's supervisor, from inside a scope of systemd
//   show DIR [NAME]     shows a run's log, in a tmux session of that name
// Their exit code, or nothing when this process was started for something else.
std::optional<int> run_as_helper(int argc, char** argv);

}  // namespace yonder::outpost
