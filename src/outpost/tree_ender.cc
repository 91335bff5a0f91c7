#include "outpost/tree_ender.h"

namespace yonder::outpost {
namespace {

// A process in an uninterruptible wait does not die of KILL until the wait ends.
constexpr auto kKillPatience = std::chrono::seconds(5);
constexpr int kFreezeRounds = 20;

}  // namespace

TreeEnder::TreeEnder(RunMembers run, Duration grace, int first_signal)
    : run_(std::move(run)),
      grace_(Deadline::after(grace)),
      unseen_(Deadline::after(grace + kKillPatience)),
      first_signal_(first_signal) {}

bool TreeEnder::step() {
  auto members = find_member_keys(run_);
  if (!members) return unseen_.expired();
  living_ = *std::move(members);
  if (living_.empty()) return true;
  if (!asked_) {
    asked_ = true;
    for (const auto& key : living_) send_signal(key, first_signal_);
    for (const auto& key : living_)
      send_signal(key, SIGCONT);  // what is stopped must wake to hear it
  }
  if (!grace_.expired()) return false;
  kill_all();
  if (!give_up_) give_up_ = Deadline::after(kKillPatience);
  return give_up_->expired();
}

void TreeEnder::hurry(Duration grace, int signal) {
  grace_ = Deadline::earlier(grace_, Deadline::after(grace));
  first_signal_ = signal;
  asked_ = false;
}

// A tree that forks as fast as it dies is frozen first: what is stopped cannot fork.
void TreeEnder::kill_all() {
  std::size_t frozen = 0;
  for (int round = 0; round < kFreezeRounds && living_.size() != frozen; ++round) {
    frozen = living_.size();
    for (const auto& key : living_) send_signal(key, SIGSTOP);
    const auto members = find_member_keys(run_);
    if (members) living_ = *members;
  }
  for (const auto& key : living_) send_signal(key, SIGKILL);
}

}  // namespace yonder::outpost
