#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace yonder::outpost {

// Whether a process can print into the pipes of a run, or write into the output that lies in its
// own directory, as commands of older versions do. One that has dropped everything else still has
// what it was given for that; a process that can only read it is another one's. A log of the user
// is not looked at: others may write into it too.
bool writes_output_of(pid_t pid, const std::string& run_id,
                      const std::vector<std::uint64_t>& pipes);

}  // namespace yonder::outpost
