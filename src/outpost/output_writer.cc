#include "outpost/output_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace yonder::outpost {
namespace {

constexpr std::size_t kUsualPipe = 64UL * 1024;
constexpr std::size_t kWidePipe = 1024UL * 1024;
constexpr int kFullBeforeWide = 16;

bool says_nothing(ssize_t n) {
  return n < 0 && (errno == EAGAIN || errno == EINTR);
}

}  // namespace

OutputWriter::OutputWriter(Fd pipe, Fd file, bool shared, WriterNote& note)
    : pipe_(std::move(pipe)), file_(std::move(file)), shared_(shared), note_(&note) {}

bool OutputWriter::step() {
  if (at_end()) return false;
  note_->busy = true;
  const ssize_t n = move();
  note_->busy = false;
  if (n > 0) widen(static_cast<std::uint64_t>(n));
  if (n == 0) note_->at_end = true;
  return n > 0;
}

ssize_t OutputWriter::move() {
  if (!file_) return drop();
  return shared_ ? copy() : move_in_kernel();
}

// Out of the pipe and into the file in one call: wherever this process is killed, each byte is in
// one of them. It appends by itself, since a file that is opened for appending is refused.
ssize_t OutputWriter::move_in_kernel() {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return drop();
  off_t end = info.st_size;
  const ssize_t n = ::splice(pipe_.get(), nullptr, file_.get(), &end, kWidePipe, SPLICE_F_NONBLOCK);
  if (n >= 0) {
    note_->put += static_cast<std::uint64_t>(n);
    return n;
  }
  if (says_nothing(n)) return n;
  if (errno != EINVAL) return drop();
  shared_ = true;  // the file system cannot do it
  ::fcntl(file_.get(), F_SETFL, O_APPEND);
  return copy();
}

ssize_t OutputWriter::copy() {
  std::array<char, kUsualPipe> buffer;  // not cleared: that would touch all of it
  const ssize_t n = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (n <= 0) return n;
  const auto wanted = static_cast<std::size_t>(n);
  std::size_t put = 0;
  while (put < wanted) {
    const ssize_t more = ::write(file_.get(), buffer.data() + put, wanted - put);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    put += static_cast<std::size_t>(more);
  }
  note_->put += put;
  note_->lost += wanted - put;
  return n;
}

ssize_t OutputWriter::drop() {
  std::array<char, kUsualPipe> buffer;
  const ssize_t n = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (n > 0) note_->lost += static_cast<std::uint64_t>(n);
  return n;
}

// Only while much is printed: all wide pipes of a user count against one limit.
void OutputWriter::widen(std::uint64_t moved) {
  full_ = moved >= kUsualPipe ? full_ + 1 : 0;
  if (wide_ || full_ < kFullBeforeWide) return;
  widen_pipe(pipe_, kWidePipe);
  wide_ = true;
}

void OutputWriter::rest() {
  if (wide_) widen_pipe(pipe_, kUsualPipe);
  wide_ = false;
  full_ = 0;
}

}  // namespace yonder::outpost
