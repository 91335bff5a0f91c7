#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "outpost/machine.h"
#include "outpost/run_record.h"
#include "outpost/spare.h"
#include "wire/messages.h"

namespace yonder::outpost {

struct Started {
  RunRecord record;
  bool existed = false;  // this or an equal request had started it before
};

// Starts a run exactly once, however often it is asked: the exclusive mkdir of its directory
// decides by run id, an exclusive symlink by key. Asking again attaches. A run whose starter died
// before the command's first instruction is started by whoever asks next.
// A spare that was used is gone afterwards.
Result<Started> start_run(const Surroundings& around, const wire::StartRequest& request,
                          std::optional<Spare>& spare);
Result<Started> start_run(const Surroundings& around, const wire::StartRequest& request);

// Whoever looks a key up in order to change it holds this meanwhile.
Result<Fd> lock_keys(const std::string& state_dir);

// Nothing when no run has this key.
std::optional<RunRecord> find_by_key(const Surroundings& around, const std::string& key);

// Makes sure that a run which may still be on its way never begins: leaves a record that says it
// was stopped. Does nothing when the run has begun, or is being started at this moment.
Result<void> prevent_run(const Surroundings& around, const RunId& id);

}  // namespace yonder::outpost
