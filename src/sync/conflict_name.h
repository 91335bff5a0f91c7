#pragma once

#include <string>

namespace yonder::sync {

// Pure. The path under which the target's version of a file is kept: `path` with `ending` behind
// it. Where that would be too long for the name of a file, the name is cut between two characters
// and gets a mark that tells it from others with the same beginning.
std::string conflict_name(const std::string& path, const std::string& ending);

}  // namespace yonder::sync
