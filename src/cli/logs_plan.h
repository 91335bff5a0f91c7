#pragma once

#include "cli/options.h"
#include "ops/tasks.h"

namespace yonder::cli {

// Who reads a log decides how much of it is wanted when nobody says.
enum class LogReader { Pipe, Terminal };

// Pure.
ops::LogRequest log_request(const LogsOptions& options, const ops::TaskRef& run, LogReader reader);

// Pure. The same as one bounded object.
ops::CheckRequest check_request(const LogsOptions& options, const ops::TaskRef& run,
                                std::size_t most_characters);

}  // namespace yonder::cli
