#pragma once

#include "cli/report.h"
#include "ops/git_sync.h"

namespace yonder::cli {

// Pure: what `yonder git-sync` says. On stdout one line.
Report git_sync_report(const ops::GitSyncResponse& response);

// Pure: the operation speaks of a tool's parameters; people have options.
Error in_options(Error error);

}  // namespace yonder::cli
