#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>

#include "base/file.h"
#include "base/id.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "lab/lab.h"
#include "lab/processes.h"
#include "lab/wait.h"
#include "wire/frame.h"
#include "wire/handshake.h"
#include "wire/messages.h"

namespace yonder::e2e {
namespace {

constexpr const char* kEmulator = "/usr/bin/qemu-aarch64-static";

// The outpost of another kind of machine, spoken to without a link between.
class EmulatedOutpost : public ::testing::Test {
 protected:
  void SetUp() override {
    lab::need(lab::Need::Emulator);
    ASSERT_TRUE(path_exists(YONDER_OUTPOST_AARCH64));
    const auto home = lab::Lab::get().new_directory("emulated");
    ASSERT_TRUE(home);
    const std::string nonce = random_letters(20);
    auto process = Subprocess::spawn(
        {.argv = {kEmulator, YONDER_OUTPOST_AARCH64, "serve", nonce, "build"},
         .environment = {"HOME=" + *home, "PATH=/usr/bin:/bin", "SHELL=/bin/sh"}});
    ASSERT_TRUE(process) << process.error().message;
    process_.emplace(*std::move(process));
    const std::string greeting = wire::handshake_marker(nonce) + " ready\n";
    while (bytes_.find(greeting) == std::string::npos) ASSERT_TRUE(read_more());
    parser_.feed(bytes_.substr(bytes_.find(greeting) + greeting.size()));
  }

  bool read_more() {
    pollfd ready{process_->output().get(), POLLIN, 0};
    if (::poll(&ready, 1, lab::soon().poll_timeout()) <= 0) return false;
    std::array<char, 65536> buffer{};
    const auto n = read_some(process_->output(), buffer.data(), buffer.size());
    if (!n || *n == 0) return false;
    bytes_.assign(buffer.data(), *n);
    return true;
  }

  wire::Frame next_frame() {
    while (true) {
      auto frame = parser_.next();
      EXPECT_TRUE(frame);
      if (!frame) return {};
      if (*frame) return **std::move(frame);
      if (!read_more()) {
        ADD_FAILURE() << "the outpost has gone";
        return {};
      }
      parser_.feed(bytes_);
    }
  }

  // The reply on the stream, and what came before it on stdout.
  wire::RunFacts ask(const wire::AnyRequest& request, std::string* output = nullptr) {
    std::string out;
    wire::append_message(out, wire::Kind::Request, ++stream_, wire::encode(request));
    EXPECT_TRUE(write_all(process_->input(), out));
    while (true) {
      const wire::Frame frame = next_frame();
      if (frame.kind == wire::Kind::Ping || frame.kind == wire::Kind::Error) {
        ADD_FAILURE() << wire::decode_error(frame.payload).message;
        return {};
      }
      if (frame.kind == wire::Kind::Data && output != nullptr) {
        *output += wire::parse_data(frame.payload)->bytes;
      }
      if (frame.kind != wire::Kind::Reply || frame.stream != stream_) continue;
      auto facts = wire::decode_facts(frame.payload);
      EXPECT_TRUE(facts);
      return facts ? *facts : wire::RunFacts{};
    }
  }

  std::optional<Subprocess> process_;
  std::string bytes_;
  wire::FrameParser parser_;
  wire::StreamId stream_ = 0;
};

TEST_F(EmulatedOutpost, StartsFollowsAndStopsRuns) {
  const wire::Frame first = next_frame();
  ASSERT_EQ(first.kind, wire::Kind::Reply);
  const auto hello = wire::decode_hello(first.payload);
  ASSERT_TRUE(hello) << hello.error().message;
  EXPECT_THAT(hello->system, ::testing::HasSubstr("aarch64"));
  EXPECT_EQ(hello->state_problem, "");

  std::string output;
  const RunId run = new_run_id();
  const auto done =
      ask(wire::StartRequest{.run_id = run.str(), .command = "echo emulated; exit 3"}, &output);
  EXPECT_EQ(output, "emulated\n");
  ASSERT_TRUE(done.exit);
  EXPECT_EQ(done.exit->code, 3);

  output.clear();
  const auto again = ask(wire::FollowRequest{.run_id = run.str()}, &output);
  EXPECT_EQ(output, "emulated\n");
  ASSERT_TRUE(again.exit);

  const RunId endless = new_run_id();
  const auto running =
      ask(wire::StartRequest{.run_id = endless.str(),
                             .command = "trap '' TERM; sleep 1000 & sleep 1000; wait",
                             .follow = {.wait_ms = 500}});
  EXPECT_FALSE(running.exit);
  EXPECT_TRUE(running.command_lives);
  EXPECT_TRUE(running.supervisor_lives);
  const auto stopped = ask(wire::StopRequest{.run_id = endless.str(), .grace_ms = 200});
  ASSERT_TRUE(stopped.exit);
  EXPECT_EQ(stopped.exit->cause, wire::Cause::Stop);
  EXPECT_THAT(stopped.members, ::testing::IsEmpty());
  EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching(endless.str()).empty(); }));

  const auto limited = ask(wire::StartRequest{
      .run_id = new_run_id().str(), .command = "sleep 1000", .timeout_ms = 300, .grace_ms = 500});
  ASSERT_TRUE(limited.exit);
  EXPECT_EQ(limited.exit->cause, wire::Cause::Timeout);
}

}  // namespace
}  // namespace yonder::e2e
