#include <signal.h>

#include <algorithm>
#include <thread>

#include "ops/transfers.h"
#include "ops/worker_process.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
constexpr auto kSettle = std::chrono::seconds(5);  // for the system to take away what was killed

// Waits for the end of the worker; signals it once it is known.
class Ending {
 public:
  Ending(Engine& engine, std::int64_t id) : engine_(engine), id_(id) {}

  // Whether it is over: the row says so, or there is no process.
  Result<bool> wait(const Deadline& deadline) {
    while (true) {
      TRY_ASSIGN(info_, look_at_transfer(engine_, id_));
      const bool gone = !lives(info_.note.worker);
      if (info_.state.ended() && gone) return true;
      if (!asked_ && info_.note.worker.pid != 0) {
        asked_ = signal_worker(info_.note.worker, SIGTERM, false);
      }
      if (deadline.expired()) return false;
      std::this_thread::sleep_for(std::min<Duration>(kBetweenLooks, deadline.remaining()));
    }
  }

  bool elsewhere() const { return info_.state.status == "unknown"; }
  void kill() const { signal_worker(info_.note.worker, SIGKILL, true); }
  const TransferInfo& info() const { return info_; }

 private:
  Engine& engine_;
  std::int64_t id_;
  TransferInfo info_;
  bool asked_ = false;
};

}  // namespace

Result<CancelTransferResponse> cancel_transfer(Engine& engine, CallContext& context,
                                               std::int64_t id, Duration force_kill_after) {
  context.progress("asking the transfer to end");
  TRY_ASSIGN(TransferInfo before, look_at_transfer(engine, id));
  if (before.state.ended()) {
    return CancelTransferResponse{.transfer = std::move(before), .already_finished = true};
  }
  TRY(engine.store.request_cancel(id));
  Ending ending(engine, id);
  CancelTransferResponse response;
  TRY_ASSIGN(bool over, ending.wait(Deadline::after(force_kill_after)));
  if (!over && ending.elsewhere()) {
    response.transfer = ending.info();
    response.elsewhere = true;
    return response;
  }
  if (!over) {
    ending.kill();
    response.force_killed = true;
    TRY_ASSIGN(over, ending.wait(Deadline::after(kSettle)));
  }
  response.alive = !over;
  if (over) {
    // Whoever was killed could not write it down.
    TRY(engine.store.end_transfer(id, {.status = "cancelled", .at_ms = wall_clock_ms()}));
  }
  TRY_ASSIGN(response.transfer, look_at_transfer(engine, id));
  const bool finished_first = response.transfer.state.status != "cancelled";
  response.already_finished = over && finished_first && !response.force_killed;
  response.terminated = over && !finished_first && !response.force_killed;
  return response;
}

}  // namespace yonder::ops
