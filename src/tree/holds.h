#pragma once

#include <sys/stat.h>

#include <string>

namespace yonder::tree {

// Whether `info` is that directory or one that it is in, by whichever name: along the path as it is
// written, and along the one that its links lead to.
bool is_or_holds(const struct stat& info, const std::string& directory);

}  // namespace yonder::tree
