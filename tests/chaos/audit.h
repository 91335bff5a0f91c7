#pragma once

#include "chaos/stage.h"

namespace yonder::chaos {

// When everything is calm again: every run as it must be in the end, asked by a client that has
// seen nothing of what happened, on lines that work.
void audit_runs(Stage& stage);

// When all clients are gone: nothing of any run, link or view is.
void audit_processes(Stage& stage);

}  // namespace yonder::chaos
