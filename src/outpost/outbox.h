#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "wire/frame.h"

namespace yonder::outpost {

// Frames on their way to the near side. Bounded by whoever asks has_room() before adding data.
class Outbox {
 public:
  bool empty() const { return start_ == bytes_.size(); }
  bool has_room() const { return bytes_.size() - start_ < kHighWater; }

  void raw(std::string_view bytes) { bytes_ += bytes; }
  void frame(wire::Kind kind, wire::StreamId stream, std::string_view payload) {
    wire::append_frame(bytes_, kind, stream, payload);
  }
  void message(wire::Kind kind, wire::StreamId stream, std::string_view cbor) {
    wire::append_message(bytes_, kind, stream, cbor);
  }
  void data(wire::StreamId stream, wire::DataHeader header, std::string_view bytes) {
    wire::append_data(bytes_, stream, header, bytes);
  }

  // Writes what the descriptor takes without waiting.
  Result<void> flush(const Fd& fd);

 private:
  static constexpr std::size_t kHighWater = 256UL * 1024;
  std::string bytes_;
  std::size_t start_ = 0;
};

}  // namespace yonder::outpost
