#pragma once

#include <sys/types.h>

#include <string>

namespace yonder::outpost {

// Whether a process can write into the output that lies in the run's own directory. One that has
// dropped everything else still has what it was given for that; whoever only reads it is somebody
// else. A log of the user is not looked at: others may write into it too.
bool writes_output_of(pid_t pid, const std::string& run_id);

}  // namespace yonder::outpost
