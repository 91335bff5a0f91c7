#pragma once

#include <string>

#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// A tmux session shows a run's log. It is only a view: no process of the run is in it, so that
// neither the end of the tmux server nor a Ctrl-C there can hurt the run.

// Opens one as soon as the command has begun, in a process of its own that nobody waits for. When
// the name is taken, the session gets another one; why there is none is in `tmux.problem`.
void show_in_tmux(const RunRecord& record, const wire::StartRequest& spec);

// `outpost show DIR [NAME]`: prints the log as it grows, and how the run ended. Leaves NAME in the
// file `tmux`, as proof that the session of that name shows the run.
int show_run(const RunRecord& record, const std::string& tmux_session);

}  // namespace yonder::outpost
