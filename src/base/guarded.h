#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/clock.h"

namespace yonder {

// Data and its lock in one object, so that nobody can reach the data without the lock.
//
//   Guarded<std::map<Id, Job>> jobs_;
//   auto copy = jobs_.with([&](auto& jobs) { return jobs.at(id); });   // short; no I/O inside
template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  template <class F>
  decltype(auto) with(F&& use) {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }
  template <class F>
  decltype(auto) with(F&& use) const {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

// Guarded data that others can wait for.
template <class T>
class Monitor {
 public:
  Monitor() = default;
  explicit Monitor(T value) : value_(std::move(value)) {}

  // Runs `use` under the lock and wakes everybody who waits.
  template <class F>
  decltype(auto) change(F&& use) {
    struct Notify {
      std::condition_variable& changed;
      ~Notify() { changed.notify_all(); }
    } notify{changed_};
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }

  template <class F>
  decltype(auto) look(F&& use) const {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }

  // Waits until `ready(value)`, then returns `use(value)` under the same lock. At the deadline
  // `use` is called too: it sees that nothing is ready.
  template <class Ready, class F>
  decltype(auto) wait(const Deadline& deadline, Ready&& ready, F&& use) {
    std::unique_lock lock(mutex_);
    const auto is_ready = [&] { return ready(value_); };
    if (deadline.is_never()) {
      changed_.wait(lock, is_ready);
    } else {
      changed_.wait_until(lock, deadline.at(), is_ready);
    }
    return std::forward<F>(use)(value_);
  }

  // For conditions that stand outside the value, such as a cancellation. The lock is taken, so that
  // nobody is between his look at the condition and his sleep.
  void wake_all() {
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  T value_{};
};

}  // namespace yonder
