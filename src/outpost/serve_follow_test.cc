#include <gmock/gmock.h>

#include "outpost/activity.h"
#include "outpost/serve_client_test.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

using std::chrono::milliseconds;
using std::string_literals::operator""s;
using ::testing::EndsWith;
using ::testing::StartsWith;

// What of a run's output is sent, and what of its input is taken.
class ServeFollow : public ServeTest {
 protected:
  // A run that has ended, with so much output: "head", then dots, then "tail".
  RunRecord ended_run(std::size_t bytes) {
    auto record = start("printf head; head -c " + std::to_string(bytes - 8) +
                        " /dev/zero | tr '\\0' .; printf tail");
    wait_for_end(record);
    EXPECT_EQ(record.size_of("out"), bytes);
    return record;
  }
};

TEST_F(ServeFollow, SendsNoMoreThanTheWindowToAReaderThatConfirmsNothing) {
  const auto record = ended_run(4000000);
  ask(1, wire::FollowRequest{.run_id = record.id()});
  send(wire::Kind::Ping, 9, "");
  std::uint64_t received = 0;
  // What may be sent comes; then there is only silence.
  const auto take_all = [&](std::uint64_t allowed) {
    while (true) {
      const auto frame =
          next_frame(received < allowed ? Duration(testing::kPatience) : milliseconds(300));
      if (!frame) break;
      ASSERT_NE(frame->stream == 1 ? frame->kind : wire::Kind::Data, wire::Kind::Reply);
      if (frame->kind != wire::Kind::Data) continue;
      received += wire::parse_data(frame->payload)->bytes.size();
    }
    EXPECT_EQ(received, allowed);
  };
  take_all(wire::kStreamCredit);
  grant(1, 1000);
  take_all(wire::kStreamCredit + 1000);
}

TEST_F(ServeFollow, SendsAllOfALongOutputInOrder) {
  const auto record = ended_run(3000000);
  ask(1, wire::FollowRequest{.run_id = record.id()});
  const auto answer = take_answer(1);
  EXPECT_EQ(answer.bytes.at(wire::Channel::Out), text_of(record, "out"));
  EXPECT_EQ(answer.facts->out_bytes, 3000000U);
}

TEST_F(ServeFollow, SendsFromTheByteThatIsAskedFor) {
  const auto record = start("printf 0123456789; printf abc >&2");
  wait_for_end(record);
  ask(1, wire::FollowRequest{.run_id = record.id(), .follow = {.out_from = 7, .err_from = 3}});
  auto answer = take_answer(1);
  EXPECT_EQ(answer.bytes[wire::Channel::Out], "789");
  EXPECT_EQ(answer.bytes[wire::Channel::Err], "");
  ask(2, wire::FollowRequest{.run_id = record.id(), .follow = {.out_from = 1000}});
  EXPECT_EQ(take_answer(2).bytes[wire::Channel::Out], "");
}

TEST_F(ServeFollow, SendsHeadAndTailOfAnOutputThatHadEndedBefore) {
  const auto record = ended_run(1000000);
  ask(1, wire::FollowRequest{.run_id = record.id(), .follow = {.head = 100, .tail = 50}});
  const auto answer = take_answer(1);
  const std::string& bytes = answer.bytes.at(wire::Channel::Out);
  EXPECT_EQ(bytes.size(), 150U);
  EXPECT_THAT(bytes, StartsWith("head"));
  EXPECT_THAT(bytes, EndsWith("tail"));
  EXPECT_EQ(answer.skipped.at(wire::Channel::Out), 1000000U - 150U);
  EXPECT_EQ(answer.facts->out_bytes, 1000000U);
}

TEST_F(ServeFollow, SendsHeadAndTailThatAreLargerThanTheWindow) {
  const auto record = ended_run(2000000);
  ask(1, wire::FollowRequest{.run_id = record.id(), .follow = {.head = 400000, .tail = 500000}});
  const auto answer = take_answer(1);
  EXPECT_EQ(answer.bytes.at(wire::Channel::Out).size(), 900000U);
  EXPECT_EQ(answer.skipped.at(wire::Channel::Out), 1100000U);
}

TEST_F(ServeFollow, LeavesNothingOutWhereHeadAndTailMeet) {
  const auto record = ended_run(1000);
  for (const std::uint64_t head : {0UL, 1UL, 499UL, 500UL, 1000UL, 5000UL}) {
    const std::uint64_t tail = 1000 - std::min<std::uint64_t>(head, 1000);
    const auto stream = static_cast<wire::StreamId>(head + 1);
    ask(stream, wire::FollowRequest{.run_id = record.id(), .follow = {.head = head, .tail = tail}});
    EXPECT_EQ(take_answer(stream).bytes[wire::Channel::Out], text_of(record, "out")) << head;
  }
}

TEST_F(ServeFollow, SendsTheHeadOfARunningCommandAndItsTailAtTheEnd) {
  auto wanted = request("printf 01234567; while [ ! -e go ]; do sleep 0.01; done; printf abcdefgh");
  wanted.follow = {.head = 4, .tail = 3};
  ask(1, wanted);
  std::string received;
  while (received.size() < 4) {
    const auto frame = next_frame();
    ASSERT_TRUE(frame);
    if (frame->kind == wire::Kind::Data) received += wire::parse_data(frame->payload)->bytes;
  }
  EXPECT_EQ(received, "0123");
  scratch_.write("go", "");
  const auto rest = take_answer(1);
  EXPECT_EQ(rest.bytes.at(wire::Channel::Out), "fgh");
  EXPECT_EQ(rest.facts->out_bytes, 16U);
}

TEST_F(ServeFollow, ResumesABoundedOutputBehindItsHead) {
  const auto record = ended_run(1000);
  ask(1, wire::FollowRequest{.run_id = record.id(),
                             .follow = {.out_from = 300, .head = 100, .tail = 50}});
  const auto answer = take_answer(1);
  EXPECT_EQ(answer.bytes.at(wire::Channel::Out).size(), 50U);
}

TEST_F(ServeFollow, StreamsInputToTheCommand) {
  auto wanted = request("cat");
  wanted.stdin_mode = wire::StdinMode::Stream;
  ask(1, wanted);
  give_input(1, 0, "one ");
  give_input(1, 4, "two");
  send(wire::Kind::End, 1, "");
  const auto answer = take_answer(1);
  EXPECT_EQ(answer.bytes.at(wire::Channel::Out), "one two");
  EXPECT_TRUE(answer.input_closed);
  EXPECT_EQ(answer.facts->exit->code, 0);
}

TEST_F(ServeFollow, TakesRepeatedInputOnce) {
  auto wanted = request("cat");
  wanted.stdin_mode = wire::StdinMode::Stream;
  ask(1, wanted);
  give_input(1, 0, "abcdef");
  give_input(1, 0, "abc");
  give_input(1, 3, "defghi");
  send(wire::Kind::End, 1, "");
  EXPECT_EQ(take_answer(1).bytes.at(wire::Channel::Out), "abcdefghi");
}

TEST_F(ServeFollow, AnswersAGapInTheInputWithAnErrorOfThatStreamAlone) {
  auto wanted = request("cat");
  wanted.stdin_mode = wire::StdinMode::Stream;
  ask(1, wanted);
  give_input(1, 5, "late");
  EXPECT_TRUE(take_answer(1).error);
  send(wire::Kind::Ping, 7, "still there");
  auto frame = next_frame();
  while (frame && frame->kind != wire::Kind::Pong) frame = next_frame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->payload, "still there");
}

TEST_F(ServeFollow, GrantsInputOnlyAsTheCommandTakesIt) {
  auto wanted = request("while [ ! -e go ]; do sleep 0.01; done; wc -c");
  wanted.stdin_mode = wire::StdinMode::Stream;
  ask(1, wanted);
  const std::string piece(32768, 'x');
  for (std::uint64_t sent = 0; sent < wire::kInitialCredit; sent += piece.size()) {
    give_input(1, sent, piece);
  }
  std::uint64_t granted = 0;
  while (const auto frame = next_frame(milliseconds(600))) {
    if (frame->kind == wire::Kind::Credit) granted += *wire::parse_credit(frame->payload);
  }
  EXPECT_LE(granted, 65536U) << "no more than the pipe itself holds";
  scratch_.write("go", "");
  send(wire::Kind::End, 1, "");
  EXPECT_THAT(take_answer(1).bytes.at(wire::Channel::Out), StartsWith("262144"));
}

TEST_F(ServeFollow, SaysWhenTheCommandTakesNoMoreInput) {
  auto wanted = request("exec <&-; while [ ! -e go ]; do sleep 0.01; done");
  wanted.stdin_mode = wire::StdinMode::Stream;
  ask(1, wanted);
  give_input(1, 0, std::string(1000, 'x'));
  bool closed = false;
  std::uint64_t offset = 1000;
  while (!closed) {
    const auto frame = next_frame(milliseconds(200));
    if (!frame) {
      give_input(1, offset++, "y");
    } else {
      closed = frame->kind == wire::Kind::End;
    }
  }
  scratch_.write("go", "");
  EXPECT_EQ(take_answer(1).facts->exit->code, 0);
}

TEST_F(ServeFollow, SaysThatARunWithoutStreamedInputTakesNone) {
  auto first = request("while [ ! -e go ]; do sleep 0.01; done; echo done");
  first.key = "k";
  ask(1, first);
  auto second = request(first.command);
  second.key = "k";
  second.stdin_mode = wire::StdinMode::Stream;
  ask(2, second);
  give_input(2, 0, "hello");
  while (true) {
    const auto frame = next_frame();
    ASSERT_TRUE(frame) << "the link has ended";
    if (frame->kind == wire::Kind::End && frame->stream == 2) break;
  }
  scratch_.write("go", "");
  EXPECT_EQ(take_answer(2).bytes.at(wire::Channel::Out), "done\n");
}

TEST_F(ServeFollow, GoesOnWithTheInputAfterALostLink) {
  auto wanted = request("cat");
  wanted.stdin_mode = wire::StdinMode::Stream;
  ask(1, wanted);
  give_input(1, 0, "first half, ");
  const RunRecord record(around_.state_dir, RunId(wanted.run_id));
  ASSERT_TRUE(testing::eventually([&] { return read_input_position(record) == 12; }));
  disconnect();
  connect();
  ask(1, wire::FollowRequest{.run_id = wanted.run_id, .stream_stdin = true, .in_from = 6});
  give_input(1, 6, "half, second half");
  send(wire::Kind::End, 1, "");
  EXPECT_EQ(take_answer(1).bytes.at(wire::Channel::Out), "first half, second half");
}

// The supervisor looks at its input once, at the start; the command says later who the supervisor
// is.
// A file that is not there yet cannot be watched; then everything in the directory is.
TEST(FollowActivity, WatchesTheWholeDirectoryUntilItsOutputsAreThere) {
  const testing::Scratch scratch;
  const RunRecord record(scratch.path());
  const auto watches_all = [&](bool stream_stdin) {
    const FollowActivity follow(record, {.stream = 1, .stream_stdin = stream_stdin});
    const auto watched = follow.watched();
    EXPECT_EQ(watched.at(0).path, record.directory());
    return watched.at(0).contents;
  };
  EXPECT_TRUE(watches_all(false));
  scratch.write("out", "");
  EXPECT_TRUE(watches_all(false));
  scratch.write("err", "");
  EXPECT_FALSE(watches_all(false));
  EXPECT_TRUE(watches_all(true)) << "how much input was taken is written there too";
}

TEST(FollowActivity, WakesASupervisorThatWasNotKnownYetWhenTheInputCame) {
  const testing::Scratch scratch;
  const RunRecord record(scratch / "run");
  ASSERT_TRUE(make_directory(record.directory()));
  for (const char* file : {"spec", "out", "err", "in", "in.pos"}) scratch.write("run/"s + file, "");
  sigset_t wake;
  ::sigemptyset(&wake);
  ::sigaddset(&wake, kInputSignal);
  ASSERT_EQ(::sigprocmask(SIG_BLOCK, &wake, nullptr), 0);
  const auto woken = [&] {
    const timespec at_once{};
    return ::sigtimedwait(&wake, nullptr, &at_once) == kInputSignal;
  };

  Outbox outbox;
  FollowActivity follow(record, {.stream = 1, .stream_stdin = true, .boot_id = read_boot_id()});
  ASSERT_TRUE(follow.on_end());
  EXPECT_FALSE(woken());
  // This process plays the supervisor.
  ASSERT_TRUE(record.write_alive({.boot_id = read_boot_id(),
                                  .host = read_hostname(),
                                  .pid_ns = read_pid_namespace(),
                                  .supervisor = *key_of(::getpid()),
                                  .command = *key_of(::getpid())}));
  EXPECT_FALSE(follow.step(outbox));
  EXPECT_TRUE(woken());
  EXPECT_FALSE(follow.step(outbox));
  EXPECT_FALSE(woken());
}

}  // namespace
}  // namespace yonder::outpost
