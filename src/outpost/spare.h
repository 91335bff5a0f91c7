#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// A supervisor and its command process that were forked ahead of need and wait for their run: then
// a start costs no fork, and no file but the request. They end when the last copy of this object's
// descriptors is closed.
class Spare {
 public:
  // Without a state directory, without a record.
  static std::optional<Spare> fork_one(const std::string& state_dir = "");
  // Runs with a streamed input or long texts start in the plain way, and so do those that get a
  // scope or GPUs.
  static bool suits(const wire::StartRequest& spec);
  // The caller holds the run's lock, and a copy of it goes along. False: nothing was started.
  bool take(const RunRecord& record, const wire::StartRequest& spec, const Fd& lock);

  // Makes the record that the spare has prepared the one of this run. Its lock, which the spare's
  // processes hold too: a spare that has given its record away is taken for that run, or ended.
  // Nothing when there is no such record, or the run has one.
  std::optional<Fd> give_record(const RunRecord& record);

 private:
  Spare(Fd supervisor, Fd command, Fd offer, std::string ready)
      : supervisor_(std::move(supervisor)),
        command_(std::move(command)),
        offer_(std::move(offer)),
        ready_(std::move(ready)) {}
  Fd supervisor_;
  Fd command_;
  Fd offer_;
  std::string ready_;  // the directory of a ReadyRecord, when it is finished
};

}  // namespace yonder::outpost
