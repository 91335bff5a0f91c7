#include "wire/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "wire/handshake.h"
#include "wire/hex_test.h"

namespace yonder::wire {
namespace {

std::string frame_hex(Kind kind, StreamId stream, std::string_view payload) {
  std::string out;
  append_frame(out, kind, stream, payload);
  return to_hex(out);
}

TEST(Frame, HasTheseBytesForEveryKind) {
  EXPECT_EQ(frame_hex(Kind::Request, 1, "x"), "06000000010100000078");
  EXPECT_EQ(frame_hex(Kind::Reply, 0x01020304, ""), "050000000204030201");
  EXPECT_EQ(frame_hex(Kind::Error, 0, "ab"), "0700000003000000006162");
  EXPECT_EQ(frame_hex(Kind::Data, 2, ""), "050000000402000000");
  EXPECT_EQ(frame_hex(Kind::End, 3, ""), "050000000503000000");
  EXPECT_EQ(frame_hex(Kind::Cancel, 4, ""), "050000000604000000");
  EXPECT_EQ(frame_hex(Kind::Credit, 5, encode_credit(0x40000)), "09000000070500000000000400");
  EXPECT_EQ(frame_hex(Kind::Ping, 0xffffffff, ""), "0500000008ffffffff");
  EXPECT_EQ(frame_hex(Kind::Pong, 6, "p"), "06000000090600000070");
  EXPECT_EQ(frame_hex(Kind::Part, 7, "q"), "060000000a0700000071");
  EXPECT_EQ(frame_hex(Kind::Started, 8, ""), "050000000b08000000");
  EXPECT_EQ(frame_hex(Kind::Taken, 8, ""), "050000000c08000000");
}

TEST(Frame, HasTheseBytesForData) {
  std::string out;
  append_data(out, 9, {.channel = Channel::Err, .offset = 0x0102030405060708}, "yz");
  EXPECT_EQ(to_hex(out), "100000000409000000020807060504030201797a");
}

TEST(Frame, GreetsWithThisMarker) {
  EXPECT_EQ(to_hex(handshake_marker("abc")), "01594f4e4445522d616263");
}

std::vector<Frame> sample_frames() {
  return {{Kind::Request, 1, "request"},
          {Kind::Data, 2, std::string(kMaxPayload, 'd')},
          {Kind::Ping, 0, ""},
          {Kind::Part, 4, std::string("\0\1\2", 3)}};
}

void expect_sample_frames(const std::vector<Frame>& frames) {
  const auto expected = sample_frames();
  ASSERT_EQ(frames.size(), expected.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].kind, expected[i].kind);
    EXPECT_EQ(frames[i].stream, expected[i].stream);
    EXPECT_EQ(frames[i].payload, expected[i].payload);
  }
}

TEST(FrameParser, CutsFramesHoweverTheBytesArrive) {
  std::string bytes;
  for (const auto& frame : sample_frames()) {
    append_frame(bytes, frame.kind, frame.stream, frame.payload);
  }
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{7}, bytes.size()}) {
    FrameParser parser;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      parser.feed(std::string_view(bytes).substr(at, step));
      for (auto frame = parser.next(); frame && *frame; frame = parser.next()) {
        frames.push_back(**frame);
      }
    }
    expect_sample_frames(frames);
    EXPECT_EQ(parser.take_rest(), "");
  }
}

TEST(FrameParser, CutsFramesThatAreReadIntoItsRoom) {
  std::string bytes;
  for (const auto& frame : sample_frames()) {
    append_frame(bytes, frame.kind, frame.stream, frame.payload);
  }
  constexpr int kTimes = 20;  // much more than it holds at once
  std::string all;
  for (int i = 0; i < kTimes; ++i) all += bytes;
  for (const std::size_t step : {std::size_t{999}, std::size_t{65000}, all.size()}) {
    FrameParser parser;
    std::vector<Frame> frames;
    for (std::string_view rest = all; !rest.empty();) {
      const auto room = parser.room();
      ASSERT_GE(room.size(), kMaxPayload);
      const std::size_t n = std::min({step, rest.size(), room.size()});
      std::copy_n(rest.begin(), n, room.begin());
      parser.filled(n);
      rest.remove_prefix(n);
      for (auto view = parser.next_view(); view && *view; view = parser.next_view()) {
        frames.push_back({(*view)->kind, (*view)->stream, std::string((*view)->payload)});
      }
    }
    ASSERT_EQ(frames.size(), kTimes * sample_frames().size());
    for (int i = 0; i < kTimes; ++i) {
      expect_sample_frames({frames.begin() + 4 * i, frames.begin() + 4 * (i + 1)});
    }
    EXPECT_EQ(parser.take_rest(), "");
  }
}

TEST(FrameParser, KeepsWhatBelongsToTheNextFrame) {
  FrameParser parser;
  std::string bytes;
  append_frame(bytes, Kind::Ping, 1, "");
  parser.feed(bytes + "rest");
  ASSERT_TRUE(*parser.next());
  EXPECT_EQ(parser.take_rest(), "rest");
  parser.feed(bytes);
  EXPECT_TRUE(*parser.next());
}

TEST(FrameParser, RefusesLengthsThatNoFrameHas) {
  for (const std::string_view hex : {"00000000", "04000000", "06000100", "ffffffff", "00000080"}) {
    FrameParser parser;
    parser.feed(from_hex(hex));
    const auto frame = parser.next();
    ASSERT_FALSE(frame) << hex;
    EXPECT_EQ(frame.error().code, Errc::Protocol);
  }
}

TEST(FrameParser, RefusesKindsThatItDoesNotKnow) {
  for (const std::string_view kind : {"00", "0d", "80", "ff"}) {
    FrameParser parser;
    parser.feed(from_hex("05000000" + std::string(kind) + "00000000"));
    EXPECT_FALSE(parser.next()) << kind;
  }
}

TEST(AppendMessage, SendsWhatFitsAsOneFrame) {
  std::string out;
  append_message(out, Kind::Reply, 1, std::string(kMaxPayload, 'x'));
  FrameParser parser;
  parser.feed(out);
  EXPECT_EQ((*parser.next())->kind, Kind::Reply);
  EXPECT_FALSE(*parser.next());
}

TEST(AppendMessage, SendsALongMessageInParts) {
  const std::string message = std::string(kMaxPayload, 'a') + std::string(kMaxPayload, 'b') + "c";
  std::string out;
  append_message(out, Kind::Request, 3, message);
  FrameParser parser;
  parser.feed(out);
  std::string whole;
  for (const Kind kind : {Kind::Part, Kind::Part, Kind::Request}) {
    const auto frame = parser.next();
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ((*frame)->kind, kind);
    EXPECT_EQ((*frame)->stream, 3U);
    whole += (*frame)->payload;
  }
  EXPECT_EQ(whole, message);
}

TEST(ParseData, RefusesShortOnesAndUnknownChannels) {
  EXPECT_FALSE(parse_data(""));
  EXPECT_FALSE(parse_data("12345678"));
  EXPECT_FALSE(parse_data(from_hex("030000000000000000")));
  EXPECT_FALSE(parse_data(from_hex("01ffffffffffffffff"))) << "without data";
  const std::string payload = from_hex("01ffffffffffffffff78");
  const auto data = parse_data(payload);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->header.channel, Channel::Out);
  EXPECT_EQ(data->header.offset, ~std::uint64_t{0});
  EXPECT_EQ(data->bytes, "x");
}

TEST(ParseCredit, TakesExactlyFourBytes) {
  EXPECT_FALSE(parse_credit("abc"));
  EXPECT_FALSE(parse_credit("abcde"));
  EXPECT_EQ(*parse_credit(encode_credit(0xfedcba98)), 0xfedcba98U);
}

}  // namespace
}  // namespace yonder::wire
