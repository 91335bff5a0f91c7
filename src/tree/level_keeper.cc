#include "tree/level_keeper.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace yonder::tree {
namespace {

constexpr auto kSoon = std::chrono::milliseconds(40);
constexpr auto kToKnowTheLink = std::chrono::milliseconds(100);
constexpr auto kLater = std::chrono::milliseconds(500);
constexpr std::array kSteps{-5, 1, 3, 5, 7, 9};
// Both ends work harder for it, and the sample may not be like the rest.
constexpr double kClearly = 1.5;

}  // namespace

bool compressing_pays(const Weighed& weighed, double link_rate) {
  const auto plain = static_cast<double>(weighed.plain);
  const double compressor = plain / std::max(to_seconds(weighed.taken), 1e-9);
  const double over_the_link = link_rate * plain / static_cast<double>(weighed.stored);
  return std::min(compressor, over_the_link) > kClearly * link_rate;
}

LevelKeeper::LevelKeeper(BlockWriter& out, std::function<Duration()> blocked, bool near_link)
    : out_(out), waited_(std::move(blocked)), stored_(near_link) {
  start_anew(std::chrono::steady_clock::now());
  out_.set_level(stored_ ? kStored : kSteps.at(at_));
}

void LevelKeeper::start_anew(Instant now) {
  since_ = now;
  blocked_ = waited_();
  sent_ = out_.plain_bytes();
}

void LevelKeeper::look() {
  const auto now = std::chrono::steady_clock::now();
  if (stored_) {
    look_at_stored(now);
  } else {
    look_at_compressed(now);
  }
}

// How fast the link is shows when nothing between here and there takes any more without a wait.
void LevelKeeper::look_at_stored(Instant now) {
  const bool waited = waited_() > Duration::zero();
  if (!waited || blocked_ == Duration::zero()) {
    start_anew(now);
    if (waited) out_.weigh_next();
    return;
  }
  if (now - since_ < kToKnowTheLink) return;
  const double rate = static_cast<double>(out_.plain_bytes() - sent_) / to_seconds(now - since_);
  const auto& weighed = out_.weighed();
  if (weighed && compressing_pays(*weighed, rate)) {
    stored_ = false;
    out_.set_level(kSteps.at(at_));
  } else {
    out_.weigh_next();
  }
  start_anew(now);
}

void LevelKeeper::look_at_compressed(Instant now) {
  const Duration spent = now - since_;
  if (spent < kSoon) return;
  const double share = to_seconds(waited_() - blocked_) / to_seconds(spent);
  const bool down = share < 0.05 && at_ > 0;
  const bool up = share > 0.6 && at_ + 1 < kSteps.size();
  // A link that has just begun makes us wait a little, whatever it can do.
  if (!down && spent < kLater) return;
  if (down) --at_;
  if (up) ++at_;
  out_.set_level(kSteps.at(at_));
  start_anew(now);
}

}  // namespace yonder::tree
