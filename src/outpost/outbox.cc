#include "outpost/outbox.h"

#include <unistd.h>

#include <cerrno>

namespace yonder::outpost {

Result<void> Outbox::flush(const Fd& fd) {
  while (!empty()) {
    const ssize_t n = ::write(fd.get(), bytes_.data() + start_, bytes_.size() - start_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return {};
    if (n < 0) return errno_error("write to the link");
    start_ += static_cast<std::size_t>(n);
    if (start_ >= kHighWater) {  // behind a slow reader it may never run empty
      bytes_.erase(0, start_);
      start_ = 0;
    }
  }
  bytes_.clear();
  start_ = 0;
  return {};
}

}  // namespace yonder::outpost
