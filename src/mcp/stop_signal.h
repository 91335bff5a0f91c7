#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "base/fd.h"

namespace yonder::mcp {

// Ends a session: a flag that poll(2) can wait for beside a descriptor.
class StopSignal {
 public:
  static Result<StopSignal> create();

  // Thread: any, also from a cancellation callback. Only the first one counts.
  void trigger();
  bool triggered() const { return triggered_->load(); }
  // Readable from the moment it is triggered; never read from.
  int fd() const { return pipe_.read.get(); }

 private:
  explicit StopSignal(Pipe pipe) : pipe_(std::move(pipe)) {}
  Pipe pipe_;
  std::unique_ptr<std::atomic<bool>> triggered_ = std::make_unique<std::atomic<bool>>(false);
};

}  // namespace yonder::mcp
