#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace yonder::cli {

void occupy_standard_streams() {
  int fd = -1;
  // Each open takes the lowest free number. Read-only, so that output is not lost without a word.
  do {
    fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) ::close(fd);
}

}  // namespace yonder::cli
