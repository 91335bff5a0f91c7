#include "outpost/age_clock.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace yonder::outpost {
namespace {

constexpr std::string_view kTitle = "yonder clock 1";
// A clock that is kept right is set by less.
constexpr std::int64_t kToleranceMs = 60LL * 1000;
constexpr std::size_t kMostMoments = 16;
constexpr std::size_t kMostJumps = 64;
constexpr std::string_view kNoBoot = "-";

bool read_number(const std::string& word, std::int64_t& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// What has surely passed between two moments.
std::int64_t surely_passed(const AgeClock::Moment& then, const AgeClock::Moment& now) {
  if (then.boot_id == now.boot_id) {
    return std::max<std::int64_t>(0, now.since_boot_ms - then.since_boot_ms);
  }
  const std::int64_t shown = std::max<std::int64_t>(0, now.wall_ms - then.wall_ms);
  return std::min(now.since_boot_ms, shown);
}

}  // namespace

AgeClock AgeClock::parse(std::string_view text) {
  AgeClock clock;
  const auto lines = split(text, '\n');
  if (lines.empty() || lines.front() != kTitle) return clock;
  for (const auto& line : lines) {
    const auto words = split(line, ' ');
    Moment moment;
    Jump jump;
    if (words.size() == 2 && words[0] == "first") {
      read_number(words[1], clock.first_ms_);
    } else if (words.size() == 4 && words[0] == "seen" &&
               read_number(words[2], moment.since_boot_ms) &&
               read_number(words[3], moment.wall_ms)) {
      moment.boot_id = words[1] == kNoBoot ? "" : words[1];
      clock.moments_.push_back(moment);
    } else if (words.size() == 3 && words[0] == "jump" && read_number(words[1], jump.before_ms) &&
               read_number(words[2], jump.ms) && jump.ms > 0) {
      clock.jumps_.push_back(jump);
    }
  }
  return clock;
}

std::string AgeClock::text() const {
  std::string text = concat(kTitle, "\nfirst ", first_ms_, "\n");
  for (const auto& moment : moments_) {
    text += concat("seen ", moment.boot_id.empty() ? std::string(kNoBoot) : moment.boot_id, " ",
                   moment.since_boot_ms, " ", moment.wall_ms, "\n");
  }
  for (const auto& jump : jumps_) text += concat("jump ", jump.before_ms, " ", jump.ms, "\n");
  return text;
}

const AgeClock::Moment* AgeClock::last_of(const std::string& boot_id) const {
  const auto own = std::find_if(moments_.begin(), moments_.end(),
                                [&](const Moment& moment) { return moment.boot_id == boot_id; });
  if (own != moments_.end()) return &*own;
  return moments_.empty() ? nullptr : &moments_.back();
}

std::int64_t AgeClock::since_last_ms(const Moment& now) const {
  const Moment* then = last_of(now.boot_id);
  if (then == nullptr) return -1;
  const bool same_boot = then->boot_id == now.boot_id;
  return std::max<std::int64_t>(
      0, same_boot ? now.since_boot_ms - then->since_boot_ms : now.wall_ms - then->wall_ms);
}

void AgeClock::trust(std::int64_t wall_ms) {
  if (moments_.empty()) moments_.push_back({.boot_id = "", .since_boot_ms = 0, .wall_ms = wall_ms});
}

void AgeClock::pass(const Moment& now) {
  if (const Moment* then = last_of(now.boot_id)) {
    const std::int64_t passed = surely_passed(*then, now);
    const std::int64_t gained = now.wall_ms - then->wall_ms - passed;
    // A file with a time in between may be of before the jump, or of after it: it is taken for
    // the younger one.
    const std::int64_t before = std::max(now.wall_ms - passed, then->wall_ms + passed);
    if (gained > kToleranceMs) jumps_.push_back({.before_ms = before, .ms = gained});
  } else {
    first_ms_ = now.wall_ms;
  }
  if (jumps_.size() > kMostJumps) {  // two become one that makes nothing older than either
    jumps_[1].before_ms = std::max(jumps_[0].before_ms, jumps_[1].before_ms);
    jumps_[1].ms += jumps_[0].ms;
    jumps_.erase(jumps_.begin());
  }
  std::erase_if(moments_, [&](const Moment& moment) { return moment.boot_id == now.boot_id; });
  moments_.push_back(now);
  if (moments_.size() > kMostMoments) moments_.erase(moments_.begin());
}

std::int64_t AgeClock::age_ms(std::int64_t changed_ms) const {
  if (moments_.empty()) return 0;
  const std::int64_t from = std::max(changed_ms, first_ms_);
  std::int64_t age = moments_.back().wall_ms - from;
  for (const auto& jump : jumps_) {
    if (from < jump.before_ms) age -= jump.ms;
  }
  return std::max<std::int64_t>(0, age);
}

}  // namespace yonder::outpost
