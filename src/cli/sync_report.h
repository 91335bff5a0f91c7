#pragma once

#include <string>

#include "cli/report.h"
#include "ops/sync.h"

namespace yonder::cli {

// Pure: what `yonder push` and `yonder pull` say when they are done. `quiet`: only what went wrong.
Report sync_report(const ops::SyncResponse& response, bool quiet);

// Pure: the operations speak of a tool's parameters; people have options.
Error in_sync_options(Error error);

}  // namespace yonder::cli
