#include "store/sighting.h"

#include <algorithm>
#include <array>

#include "model/run.h"

namespace yonder::store {
namespace {

int finality(const std::string& state) {
  constexpr std::array kProven{RunState::Exited, RunState::Signaled, RunState::TimedOut,
                               RunState::Stopped, RunState::Refused};
  const auto is_it = [&](RunState known) { return name_of(known) == state; };
  if (std::any_of(kProven.begin(), kProven.end(), is_it)) return 2;
  return is_it(RunState::Lost) ? 1 : 0;
}

}  // namespace

bool replaces(const Sighting& fresh, const Sighting& known) {
  const int fresh_finality = finality(fresh.state);
  const int known_finality = finality(known.state);
  if (fresh_finality != known_finality) return fresh_finality > known_finality;
  return fresh.seen_ms >= known.seen_ms;
}

}  // namespace yonder::store
