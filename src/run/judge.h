#pragma once

#include "model/run.h"
#include "wire/messages.h"

namespace yonder::run {

// What a run's state is, from what was observed of it, and by which proof. Pure. First cause wins.
RunStatus judge(const wire::RunFacts& facts);

// For a run that cannot be seen now.
RunStatus unseen();

// Nothing of the run's process tree was seen alive.
bool is_gone(const wire::RunFacts& facts);

}  // namespace yonder::run
