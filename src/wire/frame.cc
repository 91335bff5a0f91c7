#include "wire/frame.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace yonder::wire {
namespace {

constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kHeaderSize = 5;  // kind and stream, counted by the length
constexpr std::size_t kLargestFrame = kLengthSize + kHeaderSize + kMaxPayload;
// Several frames, so that what is left of one is seldom moved to the front.
constexpr std::size_t kBuffer = 4 * kLargestFrame;

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

Error broken_frame(std::string what) {
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

void FrameParser::make_room(std::size_t wanted) {
  const std::size_t waiting = end_ - start_;
  if (waiting == 0) start_ = end_ = 0;
  if (capacity_ - end_ >= wanted) return;
  if (capacity_ - waiting >= wanted) {
    std::memmove(buffer_.get(), buffer_.get() + start_, waiting);
  } else {
    const std::size_t capacity = std::max(kBuffer, waiting + wanted);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (waiting > 0) std::memcpy(larger.get(), buffer_.get() + start_, waiting);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  start_ = 0;
  end_ = waiting;
}

std::span<char> FrameParser::room() {
  make_room(kLargestFrame);
  return {buffer_.get() + end_, capacity_ - end_};
}

void FrameParser::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  make_room(bytes.size());
  std::memcpy(buffer_.get() + end_, bytes.data(), bytes.size());
  end_ += bytes.size();
}

Result<std::optional<FrameView>> FrameParser::next_view() {
  const std::string_view waiting(buffer_.get() + start_, end_ - start_);
  if (waiting.size() < kLengthSize) return std::optional<FrameView>();
  const auto length = read_number<std::uint32_t>(waiting);
  if (length < kHeaderSize || length > kHeaderSize + kMaxPayload) {
    return broken_frame(concat("a frame of ", length, " bytes"));
  }
  if (waiting.size() < kLengthSize + length) return std::optional<FrameView>();
  const auto kind = static_cast<unsigned char>(waiting[kLengthSize]);
  if (kind < static_cast<unsigned char>(Kind::Request) ||
      kind > static_cast<unsigned char>(Kind::Taken)) {
    return broken_frame(concat("a frame of unknown kind ", static_cast<unsigned>(kind)));
  }
  start_ += kLengthSize + length;
  return std::optional(
      FrameView{.kind = static_cast<Kind>(kind),
                .stream = read_number<StreamId>(waiting.substr(kLengthSize + 1)),
                .payload = waiting.substr(kLengthSize + kHeaderSize, length - kHeaderSize)});
}

Result<std::optional<Frame>> FrameParser::next() {
  TRY_ASSIGN(const auto view, next_view());
  if (!view) return std::optional<Frame>();
  return std::optional(
      Frame{.kind = view->kind, .stream = view->stream, .payload = std::string(view->payload)});
}

std::string FrameParser::take_rest() {
  std::string rest(buffer_.get() + start_, end_ - start_);
  start_ = end_ = 0;
  return rest;
}

std::string data_head(StreamId stream, DataHeader header, std::size_t size) {
  std::string head;
  append_number(head, static_cast<std::uint32_t>(kHeaderSize + kDataHeaderSize + size));
  head += static_cast<char>(Kind::Data);
  append_number(head, stream);
  head += static_cast<char>(header.channel);
  append_number(head, header.offset);
  return head;
}

void append_data(std::string& out, StreamId stream, DataHeader header, std::string_view bytes) {
  out += data_head(stream, header, bytes.size());
  out += bytes;
}

Result<DataView> parse_data(std::string_view payload) {
  if (payload.size() < kDataHeaderSize) return broken_frame("a data frame without its header");
  const auto channel = static_cast<unsigned char>(payload[0]);
  if (channel > static_cast<unsigned char>(Channel::Err)) {
    return broken_frame(concat("data for unknown channel ", static_cast<unsigned>(channel)));
  }
  if (payload.size() == kDataHeaderSize) return broken_frame("a data frame without data");
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
  if (payload.size() != sizeof(std::uint32_t))
    return broken_frame("a credit frame of the wrong size");
  return read_number<std::uint32_t>(payload);
}

}  // namespace yonder::wire
