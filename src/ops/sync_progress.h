#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "sync/sync.h"

namespace yonder::ops {

// How far a sync is, and how fast.
struct SyncProgress {
  sync::Progress at;
  double bytes_per_s = 0;  // of the last seconds; 0: not known yet
  std::optional<double> left_s;
};

// Pure but for what it remembers of the last seconds.
class SyncMeter {
 public:
  SyncProgress read(const sync::Progress& progress, Instant now);

 private:
  struct Sample {
    Instant at;
    std::uint64_t bytes = 0;
  };
  std::deque<Sample> samples_;
};

// Pure. "41 of 200 files, 12.0 MiB of 64.0 MiB, 8.0 MiB/s, 6 s left".
std::string sentence(const SyncProgress& progress);
Json to_json(const SyncProgress& progress);

}  // namespace yonder::ops
