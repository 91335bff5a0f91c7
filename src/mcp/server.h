#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/fd.h"
#include "base/json.h"
#include "ops/engine.h"
#include "ops/operation.h"

namespace yonder::mcp {

// An operation with the engine already behind it.
struct Tool {
  ops::Operation operation;
  std::function<Result<Json>(ops::CallContext&, const Json& arguments)> call;
};

struct ServerInfo {
  std::string version;
  std::string instructions;  // at most 2 KB: some clients cut there
};

// Serves one client over a pair of descriptors until the input ends, the output is closed, or
// `stop` is cancelled: one JSON object a line, nothing else on `output`. Calls run at the same
// time, one worker each. At the end every call is asked to stop waiting (CallContext::detach) and
// joined; the work it was asked to start is begun, within a bounded time, and goes on. SIGPIPE must
// be ignored. Fails only when the input cannot be read.
Result<void> serve(const ServerInfo& info, const std::vector<Tool>& tools, const Fd& input,
                   const Fd& output, const CancelToken& stop);

}  // namespace yonder::mcp
