#pragma once

#include "cli/report.h"
#include "ops/background.h"

namespace yonder::cli {

// Pure: what `yonder run` says. On stdout the id alone.
Report run_report(const ops::BackgroundResponse& response);

}  // namespace yonder::cli
