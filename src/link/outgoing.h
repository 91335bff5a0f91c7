#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/guarded.h"
#include "wire/frame.h"

namespace yonder::link {

// What is kept for an end that does not read.
inline constexpr std::size_t kMostUnsentData = 8UL * 1024 * 1024;
inline constexpr std::size_t kMostUnsent = 64UL * 1024 * 1024;  // with requests and all else

// What is on its way into a pipe that must never make its senders wait. Thread: any, but for
// waiting().
class Outgoing {
 public:
  // `pipe` does not block.
  explicit Outgoing(Fd pipe) : out_(Out{.pipe = std::move(pipe)}) {}

  // What the pipe does not take now is kept. False: something is left for flush().
  bool send(std::span<const std::string_view> parts);
  // As frames of Data. Large data is not put together first.
  bool send_data(wire::StreamId stream, wire::DataHeader header, std::string_view bytes);
  // How many bytes of Data may be added now. 0: ask again when drained() has been true.
  std::size_t room();
  // True once after room() has said that there is none, and most of it has been written.
  bool drained();
  // The other end has not taken kMostUnsent, whatever it was: nothing is kept for it any more.
  bool overflowed();
  // True when nothing is left to write.
  bool flush();
  // Whoever reads the pipe has taken everything.
  bool was_read();
  // Much is going to be sent.
  void widen();
  // Nothing is sent any more.
  void close();

  // To be polled for room, or -1 when nothing is left. Only for whoever calls close().
  int waiting();

 private:
  struct Out {
    Fd pipe;
    std::string bytes;
    std::size_t written = 0;  // of them
    bool broken = false;
    bool awaited = false;  // room() said 0
    bool overflowed = false;
  };
  static bool flush(Out& out);
  Guarded<Out> out_;
};

}  // namespace yonder::link
