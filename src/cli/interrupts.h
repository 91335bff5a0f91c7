#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/cancel.h"
#include "base/fd.h"
#include "base/thread.h"

namespace yonder::cli {

// What the signals do that follow the second one: end the process as usual, or nothing, for work
// that ends by itself in a while and must not be left half done.
enum class LaterSignals { EndUs, DoNothing };

// Turns SIGINT, SIGTERM and SIGHUP into requests. The first one cancels; the second one detaches.
// One object at a time. A signal that our caller had ignored (nohup, a background job of a script)
// stays ignored.
class Interrupts {
 public:
  // `on_first` is called on the signal thread, before the cancellation.
  static Result<std::unique_ptr<Interrupts>> install(std::function<void(int number)> on_first,
                                                     LaterSignals later = LaterSignals::EndUs);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  CancelToken cancel() const { return cancel_.token(); }
  CancelToken detach() const { return detach_.token(); }
  // The first signal; 0: none yet.
  int first_signal() const { return first_; }
  // Readable from the first interruption on.
  int wake_fd() const { return wake_.read.get(); }

  // For other reasons to give up than a signal. Thread: any.
  void stop_the_work();
  void leave_the_work();

 private:
  Interrupts(Pipe signals, Pipe wake, std::function<void(int)> on_first, LaterSignals later);
  void listen();
  void wake_writers();

  Pipe signals_;
  Pipe wake_;
  std::function<void(int)> on_first_;
  const LaterSignals later_;
  std::atomic<int> first_{0};
  std::atomic<bool> woken_{false};
  CancelSource cancel_;
  CancelSource detach_;
  Thread thread_;  // joined first
};

}  // namespace yonder::cli
