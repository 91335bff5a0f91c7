#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/guarded.h"
#include "base/json.h"
#include "base/thread.h"
#include "mcp/reply_to.h"

namespace yonder::mcp {

// The calls that are running, each on a thread of its own. Only the session's reader thread uses
// this class; what the workers touch is guarded.
class Calls {
 public:
  struct Tokens {
    CancelToken cancel;   // by the client
    CancelToken detach;   // the session ends
    CancelToken abandon;  // it must end now
  };
  // Makes the whole reply. Gives up early when one of the tokens says so.
  using Work = std::function<Json(const Tokens& tokens)>;

  static constexpr std::size_t kMaxInFlight = 64;
  // For what a client has asked for right before it went: to reach the machine, and begin it there.
  static constexpr Duration kLastWork = std::chrono::seconds(30);

  explicit Calls(Duration last_work = kLastWork) : last_work_(last_work) {}
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() { finish(); }

  // Whether the request with this id has not been answered yet.
  bool in_flight(const Json& id) const;
  // False when there are too many already; `reply` was not used then. The id must not be in flight.
  bool start(const Json& id, Work work, ReplyTo reply);
  // Asks the work to stop. Its reply is never sent, whatever it says. Unknown ids are ignored: the
  // reply may have crossed the cancellation on its way.
  void cancel(const Json& id);
  // Asks all workers to stop waiting, and joins them; those that still work when their time is over
  // are asked to give up.
  void finish();

 private:
  struct Call {
    std::string key;
    Work work;
    ReplyTo reply;
    CancelSource cancel;
  };
  struct State {
    // Whoever takes a call out of here, a worker with its result or a cancellation, settles it.
    std::map<std::string, std::shared_ptr<Call>> unanswered;
    std::vector<std::uint64_t> finished;  // workers that can be joined without waiting
  };

  bool has_room();
  std::shared_ptr<Call> take(const std::string& key, const Call* expected);
  void run(const std::shared_ptr<Call>& call, std::uint64_t number);
  void reap();

  const Duration last_work_;
  CancelSource detach_;
  CancelSource abandon_;
  Monitor<State> state_;
  std::uint64_t next_number_ = 1;
  std::map<std::uint64_t, Thread> workers_;
};

}  // namespace yonder::mcp
