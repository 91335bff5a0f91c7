#pragma once

#include <cstdint>

#include "base/fd.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// Carries a streamed input from its file into the command's pipe. The file stands between, so that
// the command sees neither a gap nor a false end when the link is lost in the middle.
class InputPump {
 public:
  // `pipe` is the write end, non-blocking.
  InputPump(const RunRecord& record, Fd pipe);

  // Moves what can be moved now. False when there will never be more to do.
  bool step();
  // To be watched for room, when step() could not get rid of everything; -1 otherwise.
  int blocked_fd() const { return blocked_ ? pipe_.get() : -1; }

 private:
  void publish(std::uint64_t position);
  void finish();

  RunRecord record_;
  Fd pipe_;
  Fd file_;
  Fd position_file_;
  std::uint64_t position_ = 0;
  std::uint64_t freed_ = 0;
  bool blocked_ = false;
};

}  // namespace yonder::outpost
