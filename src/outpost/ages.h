#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "outpost/age_clock.h"

namespace yonder::outpost {

// How old the files in a state directory are, by the clock that is kept in its file `collected`.
class Ages {
 public:
  // Nothing when that was done within the last hour, or cannot be written down for
  // another reason than a full disk.
  static std::optional<Ages> look(const std::string& state_dir);

  // Milliseconds since the last change; negative when it is not there.
  std::int64_t of(const std::string& path) const;
  // The same for what a link leads to, where it leads to something.
  std::int64_t of_target(const std::string& path) const;

 private:
  explicit Ages(AgeClock clock) : clock_(std::move(clock)) {}
  AgeClock clock_;
};

}  // namespace yonder::outpost
