#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "outpost/machine.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// What a ReadLogRequest means.
struct LogTarget {
  std::optional<RunRecord> record;  // the run that writes it
  std::string path;                 // absolute; empty: no log is known
  std::uint64_t log_from = 0;       // what stands before it is of an earlier run
  std::string tmux_session;         // not of ours: whether it lives is to be asked
};
Result<LogTarget> find_log(const Surroundings& around, const wire::ReadLogRequest& request);

}  // namespace yonder::outpost
