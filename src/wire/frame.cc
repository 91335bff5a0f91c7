#include "wire/frame.h"

#include <limits>

#include "base/text.h"

namespace yonder::wire {
namespace {

constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kHeaderSize = 5;  // kind and stream, counted by the length

template <class T>
void append_number(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out += static_cast<char>(static_cast<unsigned char>(value >> (8U * i)));
  }
}

template <class T>
T read_number(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8U * i));
  }
  return value;
}

Error broken(std::string what) {
  return Error{Errc::Protocol, "wire: " + std::move(what), ""};
}

}  // namespace

void append_frame(std::string& out, Kind kind, StreamId stream, std::string_view payload) {
  append_number(out, static_cast<std::uint32_t>(kHeaderSize + payload.size()));
  out += static_cast<char>(kind);
  append_number(out, stream);
  out += payload;
}

void append_message(std::string& out, Kind kind, StreamId stream, std::string_view cbor) {
  while (cbor.size() > kMaxPayload) {
    append_frame(out, Kind::Part, stream, cbor.substr(0, kMaxPayload));
    cbor.remove_prefix(kMaxPayload);
  }
  append_frame(out, kind, stream, cbor);
}

Result<std::optional<Frame>> FrameParser::next() {
  const std::string_view waiting = std::string_view(buffer_).substr(start_);
  if (waiting.size() < kLengthSize) {
    buffer_.erase(0, start_);
    start_ = 0;
    return std::optional<Frame>();
  }
  const auto length = read_number<std::uint32_t>(waiting);
  if (length < kHeaderSize || length > kHeaderSize + kMaxPayload) {
    return broken(concat("a frame of ", length, " bytes"));
  }
  if (waiting.size() < kLengthSize + length) {
    buffer_.erase(0, start_);
    start_ = 0;
    return std::optional<Frame>();
  }
  const auto kind = static_cast<unsigned char>(waiting[kLengthSize]);
  if (kind < static_cast<unsigned char>(Kind::Request) ||
      kind > static_cast<unsigned char>(Kind::Started)) {
    return broken(concat("a frame of unknown kind ", static_cast<unsigned>(kind)));
  }
  Frame frame{
      .kind = static_cast<Kind>(kind),
      .stream = read_number<StreamId>(waiting.substr(kLengthSize + 1)),
      .payload = std::string(waiting.substr(kLengthSize + kHeaderSize, length - kHeaderSize))};
  start_ += kLengthSize + length;
  return std::optional<Frame>(std::move(frame));
}

std::string FrameParser::take_rest() {
  std::string rest = buffer_.substr(start_);
  buffer_.clear();
  start_ = 0;
  return rest;
}

void append_data(std::string& out, StreamId stream, DataHeader header, std::string_view bytes) {
  std::string payload;
  payload.reserve(kDataHeaderSize + bytes.size());
  payload += static_cast<char>(header.channel);
  append_number(payload, header.offset);
  payload += bytes;
  append_frame(out, Kind::Data, stream, payload);
}

Result<DataView> parse_data(std::string_view payload) {
  if (payload.size() < kDataHeaderSize) return broken("a data frame without its header");
  const auto channel = static_cast<unsigned char>(payload[0]);
  if (channel > static_cast<unsigned char>(Channel::Err)) {
    return broken(concat("data for unknown channel ", static_cast<unsigned>(channel)));
  }
  if (payload.size() == kDataHeaderSize) return broken("a data frame without data");
  return DataView{.header = {.channel = static_cast<Channel>(channel),
                             .offset = read_number<std::uint64_t>(payload.substr(1))},
                  .bytes = payload.substr(kDataHeaderSize)};
}

std::string encode_credit(std::uint32_t bytes) {
  std::string payload;
  append_number(payload, bytes);
  return payload;
}

Result<std::uint32_t> parse_credit(std::string_view payload) {
  if (payload.size() != sizeof(std::uint32_t)) return broken("a credit frame of the wrong size");
  return read_number<std::uint32_t>(payload);
}

}  // namespace yonder::wire
