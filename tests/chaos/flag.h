#pragma once

#include "base/guarded.h"

namespace yonder::chaos {

// Raised once, and waited for: whoever has nothing to do until some moment still hears at once that
// the test is over. Thread: any.
class Flag {
 public:
  void raise() {
    raised_.change([](bool& raised) { raised = true; });
  }
  // Waits for it until the deadline. Whether it is up.
  bool wait(const Deadline& deadline) {
    const auto is_up = [](const bool& raised) { return raised; };
    return raised_.wait(deadline, is_up, is_up);
  }
  bool is_up() const {
    return raised_.look([](const bool& raised) { return raised; });
  }

 private:
  Monitor<bool> raised_;
};

}  // namespace yonder::chaos
