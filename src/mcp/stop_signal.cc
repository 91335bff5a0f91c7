#include "mcp/stop_signal.h"

#include "base/log.h"

namespace yonder::mcp {

Result<StopSignal> StopSignal::create() {
  TRY_ASSIGN(Pipe pipe, make_pipe());
  return StopSignal(std::move(pipe));
}

void StopSignal::trigger() {
  if (triggered_->exchange(true)) return;
  if (auto written = write_all(pipe_.write, "!"); !written) {
    log_error("mcp: cannot wake the session", {{"error", written.error().message}});
  }
}

}  // namespace yonder::mcp
