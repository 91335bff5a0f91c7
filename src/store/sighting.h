#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace yonder::store {

// A state of a run that somebody saw, and when.
struct Sighting {
  std::string state;
  std::optional<int> exit_code;
  std::int64_t seen_ms = 0;
};

// Whether `fresh` is the better knowledge. Runs do not come back to life, so what is more final
// wins, whatever the clocks say: an end with proof, then `lost` (which only says that no proof was
// found), then all else. Among equals the later one wins.
bool replaces(const Sighting& fresh, const Sighting& known);

}  // namespace yonder::store
