#include <fcntl.h>
#include <signal.h>

#include "base/file.h"
#include "base/text.h"
#include "outpost/activity.h"
#include "outpost/lock_holder.h"
#include "outpost/processes.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

constexpr auto kStep = std::chrono::milliseconds(20);
// After the grace: KILL, and the time a supervisor takes to see everything gone.
constexpr auto kStopWithin = std::chrono::seconds(8);
constexpr std::int64_t kLongestGraceMs = 3600LL * 1000;
constexpr int kLastSignal = 31;  // those above have no fixed meaning

}  // namespace

Result<StopOrder> check_stop(const wire::StopRequest& request) {
  if (request.signal < 1 || request.signal > kLastSignal) {
    return Error{Errc::InvalidArgument, concat("signal ", request.signal, " cannot be sent"),
                 "nothing was stopped; signals are 1 to 31, such as 15 (TERM) or 2 (INT)"};
  }
  if (request.grace_ms < 0 || request.grace_ms > kLongestGraceMs) {
    return Error{Errc::InvalidArgument, "the grace is out of range",
                 "nothing was stopped; it is an hour at most"};
  }
  return StopOrder{.grace_ms = request.grace_ms, .signal = request.signal};
}

StopActivity::StopActivity(RunRecord record, wire::StreamId stream, StopOrder order,
                           std::string boot_id)
    : record_(std::move(record)),
      stream_(stream),
      order_(order),
      boot_id_(std::move(boot_id)),
      give_up_(Deadline::after(std::chrono::milliseconds(order.grace_ms) + kStopWithin)),
      had_ended_(has_surely_ended(record_, boot_id_)) {}

Deadline StopActivity::due() const {
  return Deadline::after(kStep);
}

// False while there is no supervisor that could hear it.
bool StopActivity::tell_supervisor() const {
  const auto alive = record_.read_alive();
  if (!alive || !*alive || !is_here(record_, **alive, boot_id_)) return false;
  return send_signal(supervisor_of(record_, **alive), kStopSignal, encode_stop(order_));
}

// Whoever is starting the run looks for this before it lets the command begin.
void StopActivity::keep_from_beginning() const {
  [[maybe_unused]] const bool noted =
      open_file(record_.path("stop"), O_WRONLY | O_CREAT | O_NONBLOCK).has_value();
}

bool StopActivity::step(Outbox& outbox) {
  if (!told_) told_ = tell_supervisor();
  auto facts = observe(record_, boot_id_);
  if (facts.supervisor_lives && !facts.alive && !facts.exit) keep_from_beginning();
  // Without a supervisor (it was killed) what carries the run's mark is ended here. One that has
  // just begun is waited for: only it can record that the run was stopped.
  if (!told_ && !facts.supervisor_lives && !ender_) {
    ender_.emplace(members_of(record_, facts), std::chrono::milliseconds(order_.grace_ms),
                   order_.signal);
  }
  const bool ender_done = !ender_ || ender_->step();
  const bool gone = ender_done && !facts.supervisor_lives && !facts.command_lives;
  if (!gone && !give_up_.expired()) return false;
  facts = observe(record_, boot_id_, {.members = true});
  facts.existed = had_ended_;
  outbox.message(wire::Kind::Reply, stream_, wire::encode(facts));
  return true;
}

}  // namespace yonder::outpost
