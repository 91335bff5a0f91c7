#pragma once

#include <sys/types.h>

#include "base/fd.h"

namespace yonder::outpost {

// A child that is not waited for: where SIGCHLD is ignored, as in the outpost, the kernel may give
// its number away as soon as it has ended. A signal through this reaches that child, or none.
class Child {
 public:
  // To be made right after the fork.
  explicit Child(pid_t pid);

  // False when it has ended, or could not be signalled.
  bool signal(int number) const;

 private:
  Fd process_;
  pid_t pid_;  // where the kernel knows no such descriptors; otherwise 0
};

}  // namespace yonder::outpost
