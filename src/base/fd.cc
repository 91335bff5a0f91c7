#include "base/fd.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace yonder {

void Fd::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> fds{};
#ifdef __linux__
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return errno_error("pipe");
#else
  if (::pipe(fds.data()) != 0) return errno_error("pipe");
  ::fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(fds[1], F_SETFD, FD_CLOEXEC);
#endif
  return Pipe{Fd(fds[0]), Fd(fds[1])};
}

void widen_pipe([[maybe_unused]] const Fd& pipe, [[maybe_unused]] int bytes) {
#ifdef F_SETPIPE_SZ
  ::fcntl(pipe.get(), F_SETPIPE_SZ, bytes);
#endif
}

Result<void> set_nonblocking(const Fd& fd) {
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) return errno_error("fcntl");
  return {};
}

Result<Fd> duplicate(int fd) {
  Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) return errno_error("dup");
  return copy;
}

Result<void> write_all(const Fd& fd, std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno_error("write");
    pollfd waiting{fd.get(), POLLOUT, 0};
    if (::poll(&waiting, 1, deadline.poll_timeout()) == 0) {
      return Error{Errc::Timeout, "write: the reader does not keep up", ""};
    }
  }
  return {};
}

Result<std::size_t> read_some(const Fd& fd, char* buffer, std::size_t size) {
  while (true) {
    const ssize_t n = ::read(fd.get(), buffer, size);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return errno_error("read");
  }
}

}  // namespace yonder
