#pragma once

#include <string>

#include "base/fd.h"

namespace yonder::outpost {

// Wakes whoever waits for GPUs, or holds some, when that concerns him. For want of it (a user may
// have only so many) he looks by himself from time to time.
class LeaseWatch {
 public:
  // Becomes readable when there may be something.
  const Fd& events() const { return events_; }

  // For one who waits: claims that come, change or go.
  void watch_claims(const std::string& place);
  // And a file that appears in a directory of his.
  void watch_for(const std::string& directory, const std::string& name);
  // For one who holds: nothing but what befalls his own claim, or the place.
  void watch_own(const std::string& place, const Fd& claim);

  // Takes what has come so far. True when it is of interest to the owner of that claim, who knows
  // what he writes himself.
  bool drain(const std::string& own_claim) const;

 private:
  bool concerns(unsigned mask, const std::string& name, const std::string& own_claim) const;

  Fd events_;
  std::string awaited_;
};

}  // namespace yonder::outpost
