#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "outpost/run_fixture_test.h"
#include "outpost/serve.h"
#include "wire/frame.h"
#include "wire/handshake.h"
#include "wire/messages.h"

namespace yonder::outpost {

// serve() in a process of its own, and the near side of its pipes.
class ServeTest : public RunTest {
 protected:
  ServeTest() { connect(); }
  ~ServeTest() override { disconnect(); }

  void connect() {
    auto to = make_pipe();
    auto from = make_pipe();
    ASSERT_TRUE(to && from);
    server_ = ::fork();
    if (server_ == 0) {
      to->write.reset();
      from->read.reset();
      ::signal(SIGCHLD, SIG_IGN);
      ::_exit(serve({.nonce = "nonce", .build = "build", .around = around_}, std::move(to->read),
                    std::move(from->write)));
    }
    to_ = std::move(to->write);
    from_ = std::move(from->read);
    parser_ = {};
    const std::string line = wire::handshake_marker("nonce") + " ready\n";
    std::string greeting(line.size(), '\0');
    for (std::size_t have = 0; have < line.size();) {
      const ssize_t n = ::read(from_.get(), greeting.data() + have, line.size() - have);
      ASSERT_GT(n, 0);
      have += static_cast<std::size_t>(n);
    }
    ASSERT_EQ(greeting, line);
  }
  void disconnect() {
    to_.reset();
    from_.reset();
    if (server_ > 0) ::waitpid(server_, nullptr, 0);
    server_ = -1;
  }

  // With the environment as it is now.
  void reconnect() {
    disconnect();
    connect();
  }

  void send(wire::Kind kind, wire::StreamId stream, const std::string& payload) const {
    std::string out;
    wire::append_message(out, kind, stream, payload);
    ASSERT_TRUE(write_all(to_, out));
  }
  void ask(wire::StreamId stream, const wire::AnyRequest& request) const {
    send(wire::Kind::Request, stream, wire::encode(request));
  }
  void grant(wire::StreamId stream, std::uint32_t bytes) const {
    send(wire::Kind::Credit, stream, wire::encode_credit(bytes));
  }
  void give_input(wire::StreamId stream, std::uint64_t offset, std::string_view bytes) const {
    std::string out;
    wire::append_data(out, stream, {.channel = wire::Channel::In, .offset = offset}, bytes);
    ASSERT_TRUE(write_all(to_, out));
  }

  // Nothing at the end of the link, or when nothing has come for `patience`.
  std::optional<wire::Frame> next_frame(Duration patience = testing::kPatience) {
    while (true) {
      auto frame = parser_.next();
      if (!frame) {
        ADD_FAILURE() << frame.error().message;
        return std::nullopt;
      }
      if (*frame) return **frame;
      pollfd waiting{from_.get(), POLLIN, 0};
      if (::poll(&waiting, 1, Deadline::after(patience).poll_timeout()) <= 0) return std::nullopt;
      std::array<char, 65536> buffer{};
      const ssize_t n = ::read(from_.get(), buffer.data(), buffer.size());
      if (n <= 0) return std::nullopt;
      parser_.feed({buffer.data(), static_cast<std::size_t>(n)});
    }
  }
  bool link_ended() {
    while (next_frame()) {
    }
    int status = 0;
    const bool ended = ::waitpid(server_, &status, 0) == server_;
    server_ = -1;
    return ended && WIFEXITED(status);
  }

  struct Answer {
    std::map<wire::Channel, std::string> bytes;
    std::map<wire::Channel, std::uint64_t> skipped;
    std::optional<wire::RunFacts> facts;
    std::optional<Error> error;
    bool input_closed = false;
    std::uint64_t input_credit = wire::kInitialCredit;
  };
  // Takes everything of one stream up to its last frame, and confirms the data at once.
  Answer take_answer(wire::StreamId stream) {
    Answer answer;
    std::map<wire::Channel, std::uint64_t> have;
    std::string parts;
    while (true) {
      const auto frame = next_frame();
      if (!frame) {
        ADD_FAILURE() << "the link ended before the answer";
        return answer;
      }
      if (frame->stream != stream) continue;
      if (frame->kind == wire::Kind::Part) parts += frame->payload;
      if (frame->kind == wire::Kind::End) answer.input_closed = true;
      if (frame->kind == wire::Kind::Credit)
        answer.input_credit += *wire::parse_credit(frame->payload);
      if (frame->kind == wire::Kind::Data) {
        const auto data = wire::parse_data(frame->payload);
        EXPECT_TRUE(data);
        auto& position = have[data->header.channel];
        EXPECT_GE(data->header.offset, position);
        answer.skipped[data->header.channel] += data->header.offset - position;
        position = data->header.offset + data->bytes.size();
        answer.bytes[data->header.channel] += data->bytes;
        grant(stream, static_cast<std::uint32_t>(data->bytes.size()));
      }
      if (frame->kind == wire::Kind::Reply) {
        const auto facts = wire::decode_facts(parts + frame->payload);
        EXPECT_TRUE(facts);
        if (facts) answer.facts = *facts;
        return answer;
      }
      if (frame->kind == wire::Kind::Error) {
        answer.error = wire::decode_error(parts + frame->payload);
        return answer;
      }
    }
  }

  pid_t server_ = -1;
  Fd to_;
  Fd from_;
  wire::FrameParser parser_;
};

}  // namespace yonder::outpost
