#include <signal.h>

#include "outpost/activity.h"
#include "outpost/processes.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

constexpr auto kStep = std::chrono::milliseconds(20);
// After the grace: KILL, and the time a supervisor takes to see everything gone.
constexpr auto kPatience = std::chrono::seconds(8);

}  // namespace

StopActivity::StopActivity(RunRecord record, wire::StreamId stream, Duration grace,
                           std::string boot_id)
    : record_(std::move(record)),
      stream_(stream),
      grace_(grace),
      boot_id_(std::move(boot_id)),
      give_up_(Deadline::after(grace + kPatience)) {}

Deadline StopActivity::due() const {
  return Deadline::after(kStep);
}

void StopActivity::ask() {
  asked_ = true;
  const auto alive = record_.read_alive();
  if (alive && *alive && (*alive)->boot_id == boot_id_ && lives((*alive)->supervisor)) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(grace_).count();
    sigval value{};
    value.sival_int = static_cast<int>(ms);
    ::sigqueue(static_cast<pid_t>((*alive)->supervisor.pid), kStopSignal, value);
    return;
  }
  // No supervisor: it was killed, or it has not begun. What carries the run's mark is ended here.
  ender_.emplace(RunMembers{.supervisor = 0, .mark = record_.mark()}, grace_);
}

bool StopActivity::step(Outbox& outbox) {
  if (!asked_) ask();
  const bool ender_done = !ender_ || ender_->step();
  auto facts = observe(record_, boot_id_, false);
  const bool gone = ender_done && !facts.supervisor_lives && !facts.command_lives;
  if (!gone && !give_up_.expired()) return false;
  outbox.message(wire::Kind::Reply, stream_, wire::encode(observe(record_, boot_id_, true)));
  return true;
}

}  // namespace yonder::outpost
