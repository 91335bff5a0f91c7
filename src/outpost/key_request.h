#pragma once

#include <string>

#include "base/result.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// What was asked for with a key, part by part, for `asked` in the run's record: a hash of each,
// because environment and input may be secret. Names, descriptions and how long to wait for GPUs
// are no part of the work. `home` is what `~` stands for.
std::string parts_of(const wire::StartRequest& request, const std::string& home);

// A key means one piece of work: whoever comes with another would take its end for his own. The
// error names what differs, or says that the run's output was given up.
Result<void> check_same_work(const RunRecord& record, const wire::StartRequest& request,
                             const std::string& home);

// Gives up what a run has printed, to make room, and keeps what its key needs. False when that
// frees nothing: it was done before, or the log lies elsewhere.
bool give_up_output(const RunRecord& record);
// Nothing when the run has all of its output; else an error that says how it ended.
Result<void> check_output_kept(const RunRecord& record);

}  // namespace yonder::outpost
