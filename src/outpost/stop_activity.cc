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

// False while there is no supervisor that could hear it.
bool StopActivity::tell_supervisor() const {
  const auto alive = record_.read_alive();
  if (!alive || !*alive || !is_visible(**alive, boot_id_)) return false;
  if (!lives((*alive)->supervisor)) return false;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(grace_).count();
  sigval value{};
  value.sival_int = static_cast<int>(ms);
  return ::sigqueue(static_cast<pid_t>((*alive)->supervisor.pid), kStopSignal, value) == 0;
}

bool StopActivity::step(Outbox& outbox) {
  if (!told_) told_ = tell_supervisor();
  auto facts = observe(record_, boot_id_, false);
  // Without a supervisor (it was killed) what carries the run's mark is ended here. One that has
  // just begun is waited for: only it can record that the run was stopped.
  if (!told_ && !facts.supervisor_lives && !ender_) {
    ender_.emplace(members_of(record_, facts), grace_);
  }
  const bool ender_done = !ender_ || ender_->step();
  const bool gone = ender_done && !facts.supervisor_lives && !facts.command_lives;
  if (!gone && !give_up_.expired()) return false;
  outbox.message(wire::Kind::Reply, stream_, wire::encode(observe(record_, boot_id_, true)));
  return true;
}

}  // namespace yonder::outpost
