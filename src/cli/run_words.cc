#include "cli/run_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace yonder::cli {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr double kLongestShown = 1e9;  // thirty years; foreign numbers may be anything

std::string two_digits(std::int64_t number) {
  return number < 10 ? concat("0", number) : std::to_string(number);
}

std::string tenths(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  return text.data();
}

std::string because(const std::string& proof) {
  return proof.empty() ? "" : concat(": ", proof);
}

}  // namespace

std::string processes(const std::vector<ProcessInfo>& alive, const std::string& before) {
  std::vector<std::string> shown;
  shown.reserve(alive.size());
  for (const auto& process : alive) {
    shown.push_back(concat(before, process.pid, " ", process.command));
  }
  return join(shown, ", ");
}

std::string lasted(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) seconds = 0;
  seconds = std::min(seconds, kLongestShown);
  if (seconds < 9.95) return tenths(seconds);
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < kMinute) return concat(whole, " s");
  if (whole < kHour) return concat(whole / kMinute, "m", two_digits(whole % kMinute), "s");
  if (whole < kDay) return concat(whole / kHour, "h", two_digits(whole % kHour / kMinute), "m");
  return concat(whole / kDay, "d", two_digits(whole % kDay / kHour), "h");
}

std::string age(std::int64_t then_ms, std::int64_t now_ms) {
  const std::int64_t seconds = now_ms > then_ms ? (now_ms - then_ms) / 1000 : 0;
  if (seconds < kMinute) return concat(seconds, " s");
  if (seconds < kHour) return concat(seconds / kMinute, " min");
  if (seconds < 2 * kDay) return concat(seconds / kHour, " h");
  return concat(seconds / kDay, " days");
}

std::string ago(std::int64_t then_ms, std::int64_t now_ms) {
  const std::string time = age(then_ms, now_ms);
  return time == "0 s" || time == "1 s" ? "just now" : concat(time, " ago");
}

std::string what_became(const RunStatus& status) {
  switch (status.state) {
    case RunState::Queued: return "is queued";
    case RunState::Running: return "runs";
    case RunState::Exited:
      return status.exit_code ? concat("exited with ", *status.exit_code) : "exited";
    case RunState::Signaled:
      return concat("was ended by ", status.signal.empty() ? "a signal" : status.signal);
    case RunState::TimedOut: return "was stopped at its time limit";
    case RunState::Stopped: return "was stopped";
    case RunState::Refused: return concat("never began", because(status.proof));
    case RunState::Lost: return concat("is lost", because(status.proof));
    case RunState::Unknown: break;
  }
  return concat("cannot be seen now", because(status.proof));
}

}  // namespace yonder::cli
