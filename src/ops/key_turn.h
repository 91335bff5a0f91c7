#pragma once

#include <string>

#include "base/cancel.h"
#include "base/fd.h"
#include "base/result.h"

namespace yonder::ops {

// Calls that choose a machine for the run of one key do so in turns, in whichever processes: the
// later one finds where the earlier one has put it, instead of choosing another machine.
class KeyTurn {
 public:
  KeyTurn() = default;  // for a run without a key
  static Result<KeyTurn> take(const std::string& state_directory, const std::string& key,
                              const CancelToken& cancel);

  // From here on others find the run. The end of the process ends a turn, too.
  void end() { lock_.reset(); }

 private:
  Fd lock_;
};

}  // namespace yonder::ops
