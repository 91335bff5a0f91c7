#include "outpost/child.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace yonder::outpost {

Child::Child(pid_t pid) : process_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))), pid_(0) {
  if (!process_ && errno != ESRCH) pid_ = pid;  // kernels before 5.3, and sandboxes
}

bool Child::signal(int number) const {
  if (process_) {
    return ::syscall(SYS_pidfd_send_signal, process_.get(), number, nullptr, 0) == 0;
  }
  return pid_ > 0 && ::kill(pid_, number) == 0;
}

}  // namespace yonder::outpost
