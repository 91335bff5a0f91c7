#include "mcp/calls.h"

#include <exception>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace yonder::mcp {
namespace {

// A reply leaves the count before it is sent, so that a client may start the next call as soon as
// it has it. Threads that still write, or still stop cancelled work, have a bound of their own.
constexpr std::size_t kMaxWorkers = 2 * Calls::kMaxInFlight;

// 1 and "1" are different ids, 1 and 1.0 are not.
std::string key_of(const Json& id) {
  if (id.is_number_float()) return std::to_string(static_cast<std::int64_t>(id.get<double>()));
  return dump_json(id);
}

}  // namespace

bool Calls::in_flight(const Json& id) const {
  return state_.look([&](const State& state) { return state.unanswered.count(key_of(id)) != 0; });
}

bool Calls::start(const Json& id, Work work, ReplyTo reply) {
  reap();
  if (!has_room()) return false;
  auto call = std::make_shared<Call>(Call{key_of(id), std::move(work), std::move(reply), {}});
  state_.change([&](State& state) { state.unanswered.emplace(call->key, call); });
  const std::uint64_t number = next_number_++;
  try {
    workers_.emplace(
        number, Thread(concat("mcp-call-", number), [this, call, number] { run(call, number); }));
  } catch (const std::system_error& e) {
    log_error("mcp: no thread for a call", {{"error", e.what()}});
    take(call->key, call.get());
    return false;
  }
  return true;
}

bool Calls::has_room() {
  const std::size_t in_flight =
      state_.look([](const State& state) { return state.unanswered.size(); });
  return in_flight < kMaxInFlight && workers_.size() < kMaxWorkers;
}

// Null when it was settled already. `expected`, unless null, guards against a later call that was
// given the id of a cancelled one.
std::shared_ptr<Calls::Call> Calls::take(const std::string& key, const Call* expected) {
  return state_.change([&](State& state) -> std::shared_ptr<Call> {
    const auto found = state.unanswered.find(key);
    if (found == state.unanswered.end()) return nullptr;
    if (expected != nullptr && found->second.get() != expected) return nullptr;
    auto call = std::move(found->second);
    state.unanswered.erase(found);
    return call;
  });
}

void Calls::run(const std::shared_ptr<Call>& call, std::uint64_t number) {
  try {
    Json reply = call->work({call->cancel.token(), detach_.token(), abandon_.token()});
    if (take(call->key, call.get())) call->reply(std::move(reply));
  } catch (const std::exception& e) {
    log_error("mcp: a call ended by an exception", {{"what", e.what()}});
    take(call->key, call.get());
  }
  state_.change([&](State& state) { state.finished.push_back(number); });
}

void Calls::cancel(const Json& id) {
  const auto call = take(key_of(id), nullptr);
  if (!call) return;
  call->cancel.cancel();
  call->reply(std::nullopt);
}

void Calls::reap() {
  const auto finished =
      state_.change([](State& state) { return std::exchange(state.finished, {}); });
  for (const std::uint64_t number : finished) workers_.erase(number);
}

void Calls::finish() {
  reap();
  detach_.cancel();
  state_.wait(
      Deadline::after(last_work_),
      [&](const State& state) { return state.finished.size() == workers_.size(); },
      [](const State&) {});
  abandon_.cancel();
  workers_.clear();
  reap();
}

}  // namespace yonder::mcp
