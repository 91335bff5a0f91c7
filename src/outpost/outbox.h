#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "wire/frame.h"

namespace yonder::outpost {

// Bytes of a file that are to be sent from where they are.
struct FilePart {
  std::shared_ptr<const Fd> file;
  std::uint64_t offset = 0;
  std::size_t size = 0;
};

// Frames on their way to the near side. Bounded by whoever asks has_room() before adding data.
class Outbox {
 public:
  bool empty() const { return start_ == bytes_.size() && parts_.empty(); }
  bool has_room() const { return bytes_.size() - start_ + in_parts_ < kHighWater; }

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
  // The same, without a copy. Zeros stand for what the file has not any more when it is sent.
  void data(wire::StreamId stream, wire::DataHeader header, FilePart part);

  // Writes what the descriptor takes without waiting.
  Result<void> flush(const Fd& fd);

 private:
  struct Waiting {
    std::size_t at = 0;  // of bytes_: it comes before that byte
    FilePart part;
  };
  bool part_is_next() const { return !parts_.empty() && parts_.front().at == start_; }
  void sent_of_part(std::size_t bytes);
  void sent_bytes(std::size_t bytes);

  static constexpr std::size_t kHighWater = 256UL * 1024;
  std::string bytes_;
  std::size_t start_ = 0;
  std::deque<Waiting> parts_;
  std::size_t in_parts_ = 0;  // bytes
};

}  // namespace yonder::outpost
