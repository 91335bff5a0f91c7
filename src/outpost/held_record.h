#pragma once

#include <utility>

#include "base/fd.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// A run's directory, held open from before its supervisor is forked: it can be written to while its
// path leads nowhere, as when a home is renamed or its file system is away for a moment.
class HeldRecord {
 public:
  explicit HeldRecord(const RunRecord& record);
  // With the directory, as another process has opened it.
  HeldRecord(RunRecord record, Fd directory)
      : record_(std::move(record)), directory_(std::move(directory)) {}

  // By the path that it was given.
  const RunRecord& record() const { return record_; }
  // Where its files can be reached now. Paths of this process: a program that it execs has others.
  RunRecord reachable() const;
  // -1 when the directory could not be opened.
  int fd() const { return directory_.get(); }
  // The directory itself was removed, and with it everything that could be asked about the run.
  bool removed() const;

 private:
  RunRecord record_;
  Fd directory_;
};

}  // namespace yonder::outpost
