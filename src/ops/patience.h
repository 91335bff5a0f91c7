#pragma once

#include <atomic>
#include <optional>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/thread.h"
#include "ops/engine.h"

namespace yonder::ops {

// Ends the waiting: when the client cancels, when it goes away, or when its time is over.
class Patience {
 public:
  Patience(const CallContext& context, const std::optional<Duration>& wait)
      : on_cancel_(context.cancel.on_cancel([this] { stop_.cancel(); })),
        on_detach_(context.detach.on_cancel([this] {
          gone_ = true;
          over_ = true;
          stop_.cancel();
        })) {
    if (wait) timer_ = Thread("wait", [this, wait] { watch(Deadline::after(*wait)); });
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience() {
    done_.change([](bool& done) { done = true; });
  }

  CancelToken token() const { return stop_.token(); }
  // Somebody else should go on.
  bool over() const { return over_; }
  // For the caller, or for the log of the worker that goes on.
  const char* why() const {
    return gone_ ? "goes on in the background: its client has gone"
                 : "goes on in the background: it was not done within wait_s";
  }

 private:
  void watch(const Deadline& deadline) {
    const bool done = done_.wait(
        deadline, [](bool value) { return value; }, [](bool value) { return value; });
    if (done) return;
    over_ = true;
    stop_.cancel();
  }

  CancelSource stop_;
  std::atomic<bool> over_{false};
  std::atomic<bool> gone_{false};
  Monitor<bool> done_;
  Thread timer_;
  CancelToken::Registration on_cancel_;
  CancelToken::Registration on_detach_;
};

}  // namespace yonder::ops
