#include "link/outgoing.h"

#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace yonder::link {
namespace {

constexpr std::size_t kMoveAway = 512UL * 1024;

// How much of it the descriptor takes at once.
std::size_t write_parts(int fd, std::span<const std::string_view> parts) {
  std::vector<iovec> vectors;
  for (const std::string_view part : parts) {
    // The type has no const, though nothing is written there.
    vectors.push_back({const_cast<char*>(part.data()), part.size()});
  }
  const ssize_t n = ::writev(fd, vectors.data(), static_cast<int>(vectors.size()));
  return n < 0 ? 0 : static_cast<std::size_t>(n);
}

}  // namespace

bool Outgoing::send(std::span<const std::string_view> parts) {
  return out_.with([&](Out& out) {
    if (out.broken) return true;
    // What the pipe takes at once need not be copied.
    std::size_t taken = out.bytes.empty() ? write_parts(out.pipe.get(), parts) : 0;
    for (const std::string_view part : parts) {
      const std::size_t over = std::min(taken, part.size());
      out.bytes += part.substr(over);
      taken -= over;
    }
    const bool all = flush(out);
    if (out.bytes.size() - out.written <= kMostUnsent) return all;
    out.broken = true;
    out.overflowed = true;
    std::string().swap(out.bytes);
    out.written = 0;
    return false;
  });
}

std::size_t Outgoing::room() {
  return out_.with([](Out& out) -> std::size_t {
    const std::size_t unsent = out.bytes.size() - out.written;
    if (unsent < kMostUnsentData) return kMostUnsentData - unsent;
    out.awaited = true;
    return 0;
  });
}

bool Outgoing::drained() {
  return out_.with([](Out& out) {
    if (out.bytes.size() - out.written > kMostUnsentData / 2) return false;
    return std::exchange(out.awaited, false);
  });
}

bool Outgoing::overflowed() {
  return out_.with([](const Out& out) { return out.overflowed; });
}

bool Outgoing::send_data(wire::StreamId stream, wire::DataHeader header, std::string_view bytes) {
  constexpr std::size_t kFramesAtOnce = 8;
  bool all = true;
  while (!bytes.empty()) {
    std::array<std::string, kFramesAtOnce> heads;
    std::array<std::string_view, 2 * kFramesAtOnce> parts;
    std::size_t count = 0;
    for (auto& head : heads) {
      const std::string_view piece = bytes.substr(0, wire::kMaxDataBytes);
      if (piece.empty()) break;
      head = wire::data_head(stream, header, piece.size());
      parts[count++] = head;
      parts[count++] = piece;
      header.offset += piece.size();
      bytes.remove_prefix(piece.size());
    }
    all = send({parts.data(), count});
  }
  return all;
}

bool Outgoing::flush() {
  return out_.with([](Out& out) { return flush(out); });
}

bool Outgoing::flush(Out& out) {
  if (out.broken) return true;
  while (out.written < out.bytes.size()) {
    // The descriptor is non-blocking, so this is no waiting under the lock.
    const ssize_t n =
        ::write(out.pipe.get(), out.bytes.data() + out.written, out.bytes.size() - out.written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) {
      out.broken = true;  // the reader will see the end and say why
      out.bytes.clear();
      out.written = 0;
      return true;
    }
    if (n < 0) break;
    out.written += static_cast<std::size_t>(n);
  }
  // What was written is moved away now and then, not after each write: a copy sends megabytes.
  const bool all = out.written == out.bytes.size();
  if (all || out.written >= kMoveAway) {
    out.bytes.erase(0, out.written);
    out.written = 0;
  }
  return all;
}

void Outgoing::widen() {
  out_.with([](const Out& out) {
    if (!out.broken) widen_pipe(out.pipe, wire::kWidePipe);
  });
}

bool Outgoing::was_read() {
  return out_.with([](Out& out) {
    int unread = 0;
    return out.broken ||
           (flush(out) && (::ioctl(out.pipe.get(), FIONREAD, &unread) != 0 || unread == 0));
  });
}

void Outgoing::close() {
  out_.with([](Out& out) {
    out.broken = true;
    out.pipe.reset();
  });
}

int Outgoing::waiting() {
  return out_.with([](Out& out) { return flush(out) ? -1 : out.pipe.get(); });
}

}  // namespace yonder::link
