#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "tree/stream.h"

namespace yonder::tree {

// Pure. Whether a link that takes so many bytes a second is so slow that compressing makes it
// clearly faster.
bool compressing_pays(const Weighed& weighed, double link_rate);

// Compresses harder when the link is what we wait for, and hardly at all when it is not. Over a
// near link everything goes as it is, until that link turns out to be slower than the compressor.
class LevelKeeper {
 public:
  // `out` is borrowed; `blocked` says how long it had to wait until now for somebody to take what
  // it poured.
  LevelKeeper(BlockWriter& out, std::function<Duration()> blocked, bool near_link);
  // To be called again and again while something is sent.
  void look();

 private:
  void look_at_stored(Instant now);
  void look_at_compressed(Instant now);
  void start_anew(Instant now);

  BlockWriter& out_;
  std::function<Duration()> waited_;
  bool stored_;
  Instant since_;
  Duration blocked_{};
  std::uint64_t sent_ = 0;
  std::size_t at_ = 1;  // the level that every stream begins with
};

}  // namespace yonder::tree
