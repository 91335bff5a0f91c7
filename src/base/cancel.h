#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include "base/guarded.h"

namespace yonder {

// Lets one party ask another to give up. Copies share the same request.
//
//   CancelSource source;                        // whoever may cancel
//   CancelToken token = source.token();         // whoever must notice
//   auto wake = token.on_cancel([&] { queue.wake_all(); });   // unregistered when `wake` dies
class CancelToken {
  struct Callbacks {
    int next_id = 0;
    std::map<int, std::function<void()>> by_id;
  };
  struct State {
    std::atomic<bool> cancelled{false};  // read without a lock, also by waiters that hold their own
    Guarded<Callbacks> callbacks;
  };
  using Shared = std::shared_ptr<State>;

 public:
  class Registration {
   public:
    Registration() = default;
    Registration(Shared state, int id) : state_(std::move(state)), id_(id) {}
    Registration(Registration&& other) noexcept : state_(std::move(other.state_)), id_(other.id_) {}
    Registration& operator=(Registration&&) = delete;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() {
      if (state_) state_->callbacks.with([&](Callbacks& all) { all.by_id.erase(id_); });
    }

   private:
    Shared state_;
    int id_ = 0;
  };

  // A token that is never cancelled.
  CancelToken() = default;

  bool cancelled() const { return state_ && state_->cancelled; }

  // `callback` runs on the cancelling thread, under the token's lock: it may only wake somebody. It
  // runs at once when the cancellation has happened already.
  Registration on_cancel(std::function<void()> callback) const {
    if (!state_) return {};
    return state_->callbacks.with([&](Callbacks& all) {
      if (state_->cancelled) {
        callback();
        return Registration();
      }
      const int id = all.next_id++;
      all.by_id.emplace(id, std::move(callback));
      return Registration(state_, id);
    });
  }

 private:
  friend class CancelSource;
  explicit CancelToken(Shared state) : state_(std::move(state)) {}
  Shared state_;
};

class CancelSource {
 public:
  CancelSource() : state_(std::make_shared<CancelToken::State>()) {}

  CancelToken token() const { return CancelToken(state_); }

  void cancel() const {
    state_->callbacks.with([&](CancelToken::Callbacks& all) {
      state_->cancelled = true;
      for (const auto& [id, callback] : all.by_id) callback();
      all.by_id.clear();
    });
  }

 private:
  CancelToken::Shared state_;
};

}  // namespace yonder
