#pragma once

#include <string>

#include "outpost/held_record.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// The last words of a run, where it printed: why it could not begin, and in the log of a background
// run its exit code. A log that hangs is given a moment. What cannot be said there is still in the
// exit record.
void say_end(const RunRecord& record, const wire::StartRequest& spec, const wire::ExitRecord& exit,
             const std::string& complaint);

// The end must be told. While the disk refuses, the calling process stays and is the only proof of
// it.
void write_end(const HeldRecord& held, const wire::StartRequest& spec,
               const wire::ExitRecord& exit);

}  // namespace yonder::outpost
