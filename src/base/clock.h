#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace yonder {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::steady_clock::time_point;

// Waiting uses the steady clock; the wall clock is only for showing and storing.
class Deadline {
 public:
  static Deadline after(Duration duration) {
    const auto now = std::chrono::steady_clock::now();
    if (duration > Instant::max() - now) return never();
    return Deadline(now + duration);
  }
  static Deadline never() { return Deadline(Instant::max()); }
  static Deadline earlier(const Deadline& a, const Deadline& b) {
    return Deadline(std::min(a.at_, b.at_));
  }

  bool is_never() const { return at_ == Instant::max(); }
  bool expired() const { return !is_never() && std::chrono::steady_clock::now() >= at_; }
  Instant at() const { return at_; }

  Duration remaining() const {
    if (is_never()) return Duration::max();
    return std::max(Duration::zero(), Duration(at_ - std::chrono::steady_clock::now()));
  }

  // For poll(): -1 waits for ever; rounded up, so that a wait never ends before the deadline.
  int poll_timeout() const {
    if (is_never()) return -1;
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(remaining()).count();
    return static_cast<int>(std::min<std::int64_t>(ms, std::numeric_limits<int>::max()));
  }

 private:
  explicit Deadline(Instant at) : at_(at) {}
  Instant at_;
};

// Milliseconds since the epoch, by the wall clock.
inline std::int64_t wall_clock_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Time that also passes while the machine sleeps.
inline Duration time_since_boot() {
#ifdef CLOCK_BOOTTIME
  constexpr clockid_t kClock = CLOCK_BOOTTIME;
#else
  constexpr clockid_t kClock = CLOCK_MONOTONIC;
#endif
  timespec now{};
  ::clock_gettime(kClock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

inline double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

inline std::int64_t to_milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace yonder
