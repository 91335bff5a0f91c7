#include "outpost/outbox.h"

#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace yonder::outpost {
namespace {

ssize_t send_part(const Fd& fd, const FilePart& part) {
  auto offset = static_cast<off_t>(part.offset);
  const ssize_t n = ::sendfile(fd.get(), part.file->get(), &offset, part.size);
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR || errno == EPIPE))) return n;
  // The file was cut, or cannot be sent this way.
  std::array<char, 4096> piece{};
  const std::size_t wanted = std::min(piece.size(), part.size);
  const ssize_t have =
      ::pread(part.file->get(), piece.data(), wanted, static_cast<off_t>(part.offset));
  return ::write(fd.get(), piece.data(), have > 0 ? static_cast<std::size_t>(have) : wanted);
}

}  // namespace

void Outbox::data(wire::StreamId stream, wire::DataHeader header, FilePart part) {
  bytes_ += wire::data_head(stream, header, part.size);
  in_parts_ += part.size;
  parts_.push_back({.at = bytes_.size(), .part = std::move(part)});
}

void Outbox::sent_of_part(std::size_t bytes) {
  FilePart& part = parts_.front().part;
  part.offset += bytes;
  part.size -= bytes;
  in_parts_ -= bytes;
  if (part.size == 0) parts_.pop_front();
}

void Outbox::sent_bytes(std::size_t bytes) {
  start_ += bytes;
  if (start_ < kHighWater) return;
  bytes_.erase(0, start_);  // behind a slow reader it may never run empty
  for (auto& waiting : parts_) waiting.at -= start_;
  start_ = 0;
}

Result<void> Outbox::flush(const Fd& fd) {
  while (!empty()) {
    const bool from_file = part_is_next();
    const std::size_t end = parts_.empty() ? bytes_.size() : parts_.front().at;
    const ssize_t n = from_file ? send_part(fd, parts_.front().part)
                                : ::write(fd.get(), bytes_.data() + start_, end - start_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return {};
    if (n < 0) return errno_error("write to the link");
    from_file ? sent_of_part(static_cast<std::size_t>(n)) : sent_bytes(static_cast<std::size_t>(n));
  }
  bytes_.clear();
  start_ = 0;
  return {};
}

}  // namespace yonder::outpost
