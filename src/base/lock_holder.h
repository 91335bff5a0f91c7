#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/fd.h"

namespace yonder {

// Pure. Who holds the flock of a file, going by the text of /proc/locks; 0 when it does not tell.
pid_t flock_holder(std::string_view locks, dev_t device, ino_t inode);

// "process 17 (sleep) of bob", or that nobody can be seen who does.
std::string describe_flock_holder(const Fd& file);

}  // namespace yonder
