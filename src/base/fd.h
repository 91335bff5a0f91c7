#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace yonder {

// Owns a file descriptor. Every descriptor that Yonder opens is close-on-exec.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};
Result<Pipe> make_pipe();
// For much data: fewer wake-ups. Where the system refuses, the usual size does. All wide pipes of a
// user count against one limit.
void widen_pipe(const Fd& pipe, int bytes);

Result<void> set_nonblocking(const Fd& fd);
Result<Fd> duplicate(int fd);

// Writes everything, waiting up to the deadline where the descriptor is non-blocking and full.
Result<void> write_all(const Fd& fd, std::string_view bytes,
                       const Deadline& deadline = Deadline::never());

// read(2) that is not disturbed by signals. 0 at the end of the file.
Result<std::size_t> read_some(const Fd& fd, char* buffer, std::size_t size);

}  // namespace yonder
