#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::outpost {

// How long ago files were changed, as far as time was seen to pass. A wall clock that jumps forward
// makes nothing older: what it gains over the kernel's time since boot is left out of every age,
// and so is the time in which the machine was off. Ages are never too great, and may be too small.
class AgeClock {
 public:
  // The machine at one moment.
  struct Moment {
    std::string boot_id;
    std::int64_t since_boot_ms = 0;
    std::int64_t wall_ms = 0;
  };

  // As text() wrote it; what cannot be read is left out.
  static AgeClock parse(std::string_view text);
  std::string text() const;

  // How long ago it was told of a moment, or nothing was known of before: negative then.
  std::int64_t since_last_ms(const Moment& now) const;
  // Moments come one after the other, of several machines where they share the files.
  void pass(const Moment& now);
  // Only before the first pass(): the clock was right at that time.
  void trust(std::int64_t wall_ms);

  // Of a file, now being the last moment.
  std::int64_t age_ms(std::int64_t changed_ms) const;

 private:
  struct Jump {
    std::int64_t before_ms = 0;  // files that were changed before that are
    std::int64_t ms = 0;         // so much younger than they look
  };
  const Moment* last_of(const std::string& boot_id) const;

  std::int64_t first_ms_ = 0;    // nothing is older than the first moment
  std::vector<Moment> moments_;  // the last one of each boot; the latest is the last
  std::vector<Jump> jumps_;
};

}  // namespace yonder::outpost
