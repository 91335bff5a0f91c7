#pragma once

#include <vector>

#include "cli/exec_ending.h"
#include "cli/outcome.h"
#include "cli/report.h"
#include "ops/tasks.h"

namespace yonder::cli {

// Pure: what `wait`, `stop` and `rm` say of several runs, one line each.

// Exits as the first run in their order that did not end with 0.
Report wait_report(const std::vector<Outcome<ops::TaskInfo>>& outcomes, const GivenUp& given_up);

// 0 only when everything was seen to be gone.
Report stop_report(const std::vector<Outcome<ops::StopTaskResponse>>& outcomes,
                   const GivenUp& given_up);

Report rm_report(const std::vector<Outcome<ops::TaskInfo>>& outcomes);

// What `logs` says at its end, which came by itself or because we gave up.
Report logs_report(const Result<ops::LogEnd>& end, const std::string& run, bool follow,
                   const GivenUp& given_up);

}  // namespace yonder::cli
