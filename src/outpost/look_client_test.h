#pragma once

#include <string>

#include "base/text.h"
#include "outpost/serve_client_test.h"

namespace yonder::outpost {

// Asks the real serve loop for logs and lists, and gets whole replies.
class LookTest : public ServeTest {
 protected:
  // The last frame of a stream.
  Result<std::string> take_reply(wire::StreamId stream) {
    std::string parts;
    while (const auto frame = next_frame()) {
      if (frame->stream != stream) continue;
      if (frame->kind == wire::Kind::Part) parts += frame->payload;
      if (frame->kind == wire::Kind::Reply) return parts + frame->payload;
      if (frame->kind == wire::Kind::Error) return wire::decode_error(parts + frame->payload);
    }
    return Error{Errc::LinkLost, "the link ended before the answer", ""};
  }

  Result<wire::LogReply> take_log(wire::StreamId stream) {
    TRY_ASSIGN(const std::string reply, take_reply(stream));
    return wire::decode_log(reply);
  }
  Result<wire::LogReply> try_reading(const wire::ReadLogRequest& request) {
    ask(++last_stream_, request);
    return take_log(last_stream_);
  }
  wire::LogReply read(const wire::ReadLogRequest& request) {
    auto reply = try_reading(request);
    EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
    return reply ? *reply : wire::LogReply{};
  }
  wire::ListReply list(const wire::ListRequest& request = {}) {
    ask(++last_stream_, request);
    const auto reply = take_reply(last_stream_);
    EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
    auto runs = reply ? wire::decode_list(*reply) : reply.error();
    EXPECT_TRUE(runs) << (runs ? "" : runs.error().message);
    return runs ? *runs : wire::ListReply{};
  }
  Result<wire::RunFacts> remove(const std::string& run_id) {
    ask(++last_stream_, wire::RemoveRequest{.run_id = run_id});
    TRY_ASSIGN(const std::string reply, take_reply(last_stream_));
    return wire::decode_facts(reply);
  }

  wire::StartRequest in_background(const std::string& command) const {
    auto spec = request(command);
    spec.background = true;
    spec.launcher = "session";
    return spec;
  }
  // The command of such a run goes on when the file is there.
  std::string until(const std::string& file) const {
    return concat("while [ ! -e ", scratch_ / file, " ]; do sleep 0.01; done; ");
  }

  wire::StreamId last_stream_ = 100;
};

inline std::string text_in(const wire::LogReply& reply) {
  return reply.head + reply.tail;
}

}  // namespace yonder::outpost
