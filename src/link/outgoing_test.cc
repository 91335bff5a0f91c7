#include "link/outgoing.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/thread.h"

namespace yonder::link {
namespace {

constexpr std::size_t kLong = 1024UL * 1024;  // more than a pipe holds

std::string numbered(std::size_t size, char seed) {
  std::string bytes(size, seed);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(seed + static_cast<int>(i % 251));
  return bytes;
}

class OutgoingTest : public ::testing::Test {
 protected:
  OutgoingTest() : out_(open()) { ::signal(SIGPIPE, SIG_IGN); }

  // Takes what is there and what is left, until there is `size` of data in all.
  void receive(std::size_t size) {
    std::size_t got = 0;
    while (got < size) {
      out_.flush();
      pollfd ready{end_.get(), POLLIN, 0};
      ASSERT_GT(::poll(&ready, 1, 30000), 0) << "after " << got << " bytes";
      const auto room = parser_.room();
      const ssize_t n = ::read(end_.get(), room.data(), room.size());
      ASSERT_GT(n, 0);
      parser_.filled(static_cast<std::size_t>(n));
      while (true) {
        const auto frame = parser_.next_view();
        ASSERT_TRUE(frame) << "frames were mixed";
        if (!*frame) break;
        const auto data = wire::parse_data((*frame)->payload);
        ASSERT_TRUE(data);
        std::string& stream = streams_[(*frame)->stream];
        ASSERT_EQ(data->header.offset, stream.size()) << "out of order";
        stream += data->bytes;
        got += data->bytes.size();
      }
    }
  }

  Fd open() {
    auto pipe = make_pipe();
    EXPECT_TRUE(pipe && set_nonblocking(pipe->write));
    end_ = std::move(pipe->read);
    return std::move(pipe->write);
  }

  Fd end_;  // before out_, whose making sets it
  Outgoing out_;
  wire::FrameParser parser_;
  std::map<wire::StreamId, std::string> streams_;
};

TEST_F(OutgoingTest, WhatThePipeDoesNotTakeIsKeptInOrder) {
  const std::string first = numbered(kLong, 'a');
  const std::string second = numbered(1000, 'b');
  EXPECT_FALSE(out_.send_data(1, {}, first));
  EXPECT_FALSE(out_.send_data(1, {.offset = first.size()}, second));
  EXPECT_GE(out_.waiting(), 0);
  receive(first.size() + second.size());
  EXPECT_EQ(streams_[1], first + second);
  EXPECT_TRUE(out_.flush());
  EXPECT_EQ(out_.waiting(), -1);
}

TEST_F(OutgoingTest, AWidePipeTakesMoreAtOnce) {
  out_.widen();
  EXPECT_TRUE(out_.send_data(1, {}, numbered(wire::kWidePipe / 2, 'a')));
}

TEST_F(OutgoingTest, FramesOfSeveralThreadsDoNotMix) {
  const std::map<wire::StreamId, std::string> sent{{1, numbered(kLong, 'a')},
                                                   {2, numbered(kLong, 'b')}};
  constexpr std::size_t kPiece = 3 * wire::kMaxDataBytes / 2;
  const auto send = [&](wire::StreamId stream) {
    const std::string_view all = sent.at(stream);
    for (std::size_t at = 0; at < all.size(); at += kPiece) {
      out_.send_data(stream, {.offset = at}, all.substr(at, kPiece));
    }
  };
  const Thread one("one", [&] { send(1); });
  const Thread two("two", [&] { send(2); });
  receive(2 * kLong);
  EXPECT_EQ(streams_, sent);
}

TEST_F(OutgoingTest, NothingIsKeptForAnEndThatIsGone) {
  end_.reset();
  EXPECT_TRUE(out_.send_data(1, {}, numbered(kLong, 'a')));
  EXPECT_EQ(out_.waiting(), -1);
  EXPECT_TRUE(out_.send_data(1, {.offset = kLong}, "more"));
}

TEST_F(OutgoingTest, SaysWhenThereIsNoRoomForDataAndWhenThereIsAgain) {
  EXPECT_EQ(out_.room(), kMostUnsentData);
  EXPECT_FALSE(out_.drained()) << "there was room all the time";
  std::uint64_t sent = 0;
  while (const std::size_t room = out_.room()) {
    out_.send_data(1, {.offset = sent}, numbered(std::min(room, kLong), 'a'));
    sent += std::min(room, kLong);
  }
  EXPECT_LE(sent, kMostUnsentData + 2 * wire::kWidePipe) << "and no more is kept";
  EXPECT_FALSE(out_.drained());
  receive(static_cast<std::size_t>(sent));
  EXPECT_TRUE(out_.drained());
  EXPECT_FALSE(out_.drained()) << "said once";
  EXPECT_GT(out_.room(), 0U);
}

TEST_F(OutgoingTest, KeepsNothingForAnEndThatHasStoppedReading) {
  for (std::uint64_t at = 0; at <= kMostUnsent + kLong; at += kLong) {
    out_.send_data(1, {.offset = at}, numbered(kLong, 'a'));
  }
  EXPECT_TRUE(out_.overflowed());
  EXPECT_EQ(out_.waiting(), -1);
}

TEST_F(OutgoingTest, IsSilentOnceItIsClosed) {
  out_.close();
  EXPECT_TRUE(out_.send_data(1, {}, "late"));
  out_.widen();
  EXPECT_EQ(out_.waiting(), -1);
  std::array<char, 8> buffer{};
  EXPECT_EQ(::read(end_.get(), buffer.data(), buffer.size()), 0);
}

}  // namespace
}  // namespace yonder::link
