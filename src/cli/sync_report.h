#pragma once

#include <string>
#include <vector>

#include "cli/report.h"
#include "ops/sync.h"

namespace yonder::cli {

// Pure: what `yonder push` and `yonder pull` say when they are done. `quiet`: only what went wrong.
// `told`: what people have read after the last sync of the same two places, and need not again.
Report sync_report(const ops::SyncResponse& response, bool quiet,
                   const std::vector<std::string>& told = {});
// Pure: what it says about files that are left out by default.
std::vector<std::string> default_notes(const ops::SyncResponse& response);

// Pure: the operations speak of a tool's parameters; people have options.
Error in_sync_options(Error error);

}  // namespace yonder::cli
