#pragma once

#include <functional>
#include <map>
#include <memory>

#include "base/guarded.h"

namespace yonder {

// Lets one party ask another to give up. Copies share the same request.
//
//   CancelSource source;                        // whoever may cancel
//   CancelToken token = source.token();         // whoever must notice
//   auto wake = token.on_cancel([&] { queue.wake(); });   // unregistered when `wake` dies
class CancelToken {
  struct State {
    bool cancelled = false;
    int next_id = 0;
    std::map<int, std::function<void()>> callbacks;
  };
  using Shared = std::shared_ptr<Guarded<State>>;

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
      if (state_) state_->with([&](State& state) { state.callbacks.erase(id_); });
    }

   private:
    Shared state_;
    int id_ = 0;
  };

  // A token that is never cancelled.
  CancelToken() = default;

  bool cancelled() const {
    return state_ && state_->with([](const State& state) { return state.cancelled; });
  }

  // `callback` runs on the cancelling thread, under the token's lock: it may only wake somebody. It
  // runs at once when the cancellation has happened already.
  Registration on_cancel(std::function<void()> callback) const {
    if (!state_) return {};
    return state_->with([&](State& state) {
      if (state.cancelled) {
        callback();
        return Registration();
      }
      const int id = state.next_id++;
      state.callbacks.emplace(id, std::move(callback));
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
  CancelSource() : state_(std::make_shared<Guarded<CancelToken::State>>()) {}

  CancelToken token() const { return CancelToken(state_); }

  void cancel() const {
    state_->with([](CancelToken::State& state) {
      state.cancelled = true;
      for (const auto& [id, callback] : state.callbacks) callback();
      state.callbacks.clear();
    });
  }

 private:
  CancelToken::Shared state_;
};

}  // namespace yonder
