#pragma once

#include "ops/engine.h"

namespace yonder::ops {

// For operations that leave nothing behind when they are given up: whether the client cancels the
// call or goes away is all the same to them.
class GiveUp {
 public:
  explicit GiveUp(const CallContext& context)
      : on_cancel_(context.cancel.on_cancel([this] { source_.cancel(); })),
        on_detach_(context.detach.on_cancel([this] { source_.cancel(); })) {}
  GiveUp(const GiveUp&) = delete;
  GiveUp& operator=(const GiveUp&) = delete;

  CancelToken token() const { return source_.token(); }

 private:
  CancelSource source_;
  CancelToken::Registration on_cancel_;
  CancelToken::Registration on_detach_;
};

}  // namespace yonder::ops
