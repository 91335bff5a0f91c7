#pragma once

#include <cstdint>

#include "base/fd.h"

namespace yonder::tree {

// Some file systems take what is written, and tell only at an fsync or at the end that there was no
// room for it: those of other machines, and those of programs.
bool tells_errors_late(int fd);

// Pure: by the type that statfs(2) names.
bool type_tells_errors_late(std::uint64_t type);

// Closes it and says what close(2) said: 0, or an errno.
int close_and_tell(Fd& file);

}  // namespace yonder::tree
