#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace yonder::wire {

// What travels between a link and its outpost, both ways:
//
//   u32 length of the rest · u8 kind · u32 stream · payload          (little-endian)
//
// The near side opens a stream with a Request and the far side closes it with a Reply or an Error.
// Between them Data may flow both ways, as far as the receiver's Credit reaches.
enum class Kind : std::uint8_t {
  Request = 1,  // CBOR map
  Reply = 2,    // CBOR map; the last frame of its stream
  Error = 3,    // CBOR map {code, message, hint}; the last frame of its stream
  Data = 4,     // u8 channel · u64 offset in that channel · bytes
  End = 5,      // the sender has no more Data for this stream
  Cancel = 6,   // near to far: forget this stream (the run goes on)
  Credit = 7,   // u32: so many more bytes of Data may be sent
  Ping = 8,     // answered by a Pong with the same payload
  Pong = 9,
  Part = 10,     // the front of a Request or Reply that does not fit into one frame
  Started = 11,  // far to near, first answer to a start: the run exists, and this is its id
  Taken = 12,    // near to far, never answered: TakenNote; how a run ended has arrived here
};

using StreamId = std::uint32_t;

struct Frame {
  Kind kind = Kind::Ping;
  StreamId stream = 0;
  std::string payload;
};

// The same, where it lies: good until its parser is fed or asked again.
struct FrameView {
  Kind kind = Kind::Ping;
  StreamId stream = 0;
  std::string_view payload;
};

// Small frames, so that a small answer can go between those of a big copy.
inline constexpr std::size_t kMaxPayload = 64UL * 1024;
// Of a whole Request or Reply: room for a command of 1 MiB with its environment and input.
inline constexpr std::size_t kMaxMessage = 8UL * 1024 * 1024;
// How many bytes of Data a receiver lets come before it has to say Credit.
inline constexpr std::uint32_t kInitialCredit = 256U * 1024;
// And of all that a command prints: as much as fits on the way to a machine that is far.
inline constexpr std::uint32_t kStreamCredit = 2U * 1024 * 1024;
// Whatever a receiver says, no sender has more Data on its way to it.
inline constexpr std::uint64_t kMostCredit = 4ULL * 1024 * 1024;

// Where so much Data has gone, more will: the pipes at both ends of that link are widened, so that
// the processes along the way do not wake each other for every packet.
inline constexpr std::uint64_t kMuch = 1024UL * 1024;
inline constexpr int kWidePipe = 256 * 1024;

void append_frame(std::string& out, Kind kind, StreamId stream, std::string_view payload);
// As one frame, or as Parts and the last piece.
void append_message(std::string& out, Kind kind, StreamId stream, std::string_view cbor);

// Cuts a byte stream into frames. After an error nothing that follows can be trusted.
class FrameParser {
 public:
  void feed(std::string_view bytes);
  // To be read into, without a copy: room for a frame at least, and how much of it was used.
  std::span<char> room();
  void filled(std::size_t count) { end_ += count; }
  // Nothing when no whole frame has arrived yet.
  Result<std::optional<FrameView>> next_view();
  Result<std::optional<Frame>> next();
  // The bytes that were fed but not yet returned as frames.
  std::string take_rest();

 private:
  void make_room(std::size_t wanted);
  // Not a string: nobody needs it cleared, and what is not used takes no memory.
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
};

// Data frames name the channel and the offset of their first byte, so that a gap is always noticed.
enum class Channel : std::uint8_t { In = 0, Out = 1, Err = 2 };
struct DataHeader {
  Channel channel = Channel::Out;
  std::uint64_t offset = 0;
};
inline constexpr std::size_t kDataHeaderSize = 9;
inline constexpr std::size_t kMaxDataBytes = kMaxPayload - kDataHeaderSize;

void append_data(std::string& out, StreamId stream, DataHeader header, std::string_view bytes);
// What comes before so many bytes of data.
std::string data_head(StreamId stream, DataHeader header, std::size_t size);
struct DataView {
  DataHeader header;
  std::string_view bytes;
};
Result<DataView> parse_data(std::string_view payload);

std::string encode_credit(std::uint32_t bytes);
Result<std::uint32_t> parse_credit(std::string_view payload);

}  // namespace yonder::wire
