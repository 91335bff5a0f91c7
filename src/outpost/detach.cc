#include "outpost/detach.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/fd.h"

namespace yonder::outpost {
namespace {

void point_at_null(std::initializer_list<int> fds) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : fds) ::dup2(null.get(), fd);
}

void close_from_to(unsigned first, unsigned last) {
  if (first > last || ::close_range(first, last, 0) == 0) return;
  for (unsigned fd = first; fd <= std::min(last, 1023U); ++fd) {  // kernels before 5.9
    ::close(static_cast<int>(fd));
  }
}

// And but the three standard ones.
void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned next = 3;
  for (const int fd : kept) {
    close_from_to(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  close_from_to(next, ~0U);
}

}  // namespace

void leave_the_link(std::initializer_list<int> kept) {
  ::setsid();
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &plain, nullptr);
  point_at_null({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  // Also what start-up files have left open: a copy of the link's pipe would keep the link alive.
  close_all_but(kept);
}

}  // namespace yonder::outpost
