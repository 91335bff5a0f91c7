#pragma once

#include "base/fd.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// A run's directory, held open by its supervisor: it can be written to while its path leads
// nowhere, as when a home is renamed or its file system taken away from its place for a moment.
class HeldRecord {
 public:
  explicit HeldRecord(const RunRecord& record);

  // Where its files can be reached now. Only paths: the id is that of the record it was made from.
  RunRecord reachable() const;
  // The directory itself was removed, and with it everything that could be asked about the run.
  bool removed() const;

 private:
  RunRecord record_;
  Fd directory_;
};

}  // namespace yonder::outpost
