#include "outpost/output_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "outpost/remove_run.h"

namespace yonder::outpost {

Result<OutputPipe> make_output_pipe() {
  TRY_ASSIGN(Pipe pipe, make_pipe());
  TRY(set_nonblocking(pipe.read));
  Fd both(::open(concat("/proc/self/fd/", pipe.write.get()).c_str(), O_RDWR | O_CLOEXEC));
  return OutputPipe{.reader = std::move(pipe.read),
                    .command = both ? std::move(both) : std::move(pipe.write)};
}

std::uint64_t pipe_number(const Fd& pipe) {
  struct stat info {};
  return pipe && ::fstat(pipe.get(), &info) == 0 ? info.st_ino : 0;
}

Fd open_pipe_of(pid_t pid, std::uint64_t number, int flags) {
  const std::string descriptors = concat("/proc/", pid, "/fd");
  const std::string wanted = concat("pipe:[", number, "]");
  for (const auto& name : names_in(descriptors)) {
    const std::string link = concat(descriptors, "/", name);
    std::array<char, 64> target{};
    const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
    const std::string_view shown(target.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (shown != wanted) continue;
    Fd pipe(::open(link.c_str(), flags | O_CLOEXEC));
    // The process may have put something else there meanwhile.
    if (pipe_number(pipe) == number) return pipe;
  }
  return {};
}

}  // namespace yonder::outpost
