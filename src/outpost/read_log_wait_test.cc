#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "outpost/look_client_test.h"

namespace yonder::outpost {
namespace {

constexpr std::int64_t kLong = 3600 * 1000;

class WaitForLog : public LookTest {
 protected:
  void append(const std::string& path, const std::string& text) const {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
  }
  // A reply to something asked later shows that the server has taken up what was asked before.
  void expect_waiting(wire::StreamId stream) {
    ask(99, wire::ProbeRequest{});
    while (const auto frame = next_frame()) {
      EXPECT_NE(frame->stream, stream) << "it should wait";
      if (frame->stream == 99 && frame->kind == wire::Kind::Reply) return;
    }
  }
};

TEST_F(WaitForLog, EndsWithNewBytesBehindTheOffset) {
  const std::string path = scratch_.write("log", "old\n");
  ask(1, wire::ReadLogRequest{.path = path, .from = 4, .wait_ms = kLong});
  expect_waiting(1);
  append(path, "new\n");
  const auto reply = take_log(1);
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_in(*reply), "new\n");
  EXPECT_EQ(reply->next, 8U);
}

TEST_F(WaitForLog, IsNotNeededWhenThereIsSomethingAlready) {
  const std::string path = scratch_.write("log", "old\nnew\n");
  EXPECT_EQ(text_in(read({.path = path, .from = 4, .wait_ms = kLong})), "new\n");
}

TEST_F(WaitForLog, WithoutAnOffsetIsForWhatComesFromNowOn) {
  const std::string path = scratch_.write("log", "1\n2\n");
  ask(1, wire::ReadLogRequest{.path = path, .lines = 2, .wait_ms = kLong});
  expect_waiting(1);
  append(path, "3\n");
  const auto reply = take_log(1);
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_in(*reply), "2\n3\n");
}

TEST_F(WaitForLog, WithAFilterIsForALineThatMatches) {
  const std::string path = scratch_.write("log", "loss 0\n");
  ask(1, wire::ReadLogRequest{.path = path, .from = 7, .filter = "loss", .wait_ms = kLong});
  expect_waiting(1);
  append(path, "noise\nlo");
  expect_waiting(1);
  append(path, "ss 1\nmore noise\n");
  const auto reply = take_log(1);
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_in(*reply), "loss 1\n");
  EXPECT_EQ(reply->matches, 1U);
  EXPECT_EQ(reply->start, 7U);
}

TEST_F(WaitForLog, WithAFilterAndNoOffsetIsForALineThatIsWholeOnlyNow) {
  const std::string path = scratch_.write("log", "loss 0\nlos");
  ask(1, wire::ReadLogRequest{.path = path, .lines = 10, .filter = "loss", .wait_ms = kLong});
  expect_waiting(1);
  append(path, "s 1\n");
  const auto reply = take_log(1);
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_in(*reply), "loss 0\nloss 1\n");
}

TEST_F(WaitForLog, EndsWithTheRun) {
  for (const std::string filter : {"", "nothing like it"}) {
    const auto record = start(in_background(until("go")));
    ask(1, wire::ReadLogRequest{.run_id = record.id(), .filter = filter, .wait_ms = kLong});
    expect_waiting(1);
    scratch_.write("go", "");
    const auto reply = take_log(1);
    ASSERT_TRUE(reply);
    ASSERT_TRUE(reply->run && reply->run->exit);
    ::unlink((scratch_ / "go").c_str());
  }
}

TEST_F(WaitForLog, GivesTheLastOfTheLogTogetherWithTheEnd) {
  auto spec = in_background(until("go") + "printf 'loss 9'");
  spec.log_file = scratch_ / "elsewhere.log";
  const auto record = start(spec);
  ask(1,
      wire::ReadLogRequest{.run_id = record.id(), .from = 0, .filter = "^loss", .wait_ms = kLong});
  expect_waiting(1);
  scratch_.write("go", "");
  const auto reply = take_log(1);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(text_in(*reply).starts_with("loss 9")) << text_in(*reply);
}

TEST_F(WaitForLog, EndsWhenTheRunIsLost) {
  const auto record = start(in_background("exec sleep 1000"));
  wait_until_alive(record);
  ask(1, wire::ReadLogRequest{.run_id = record.id(), .wait_ms = kLong});
  expect_waiting(1);
  const auto alive = record.read_alive();
  ASSERT_TRUE(alive && *alive);
  ::kill(static_cast<pid_t>((*alive)->supervisor.pid), SIGKILL);
  ::kill(static_cast<pid_t>((*alive)->command.pid), SIGKILL);
  const auto reply = take_log(1);
  ASSERT_TRUE(reply && reply->run);
  EXPECT_FALSE(reply->run->exit);
  EXPECT_FALSE(reply->run->supervisor_lives);
}

TEST_F(WaitForLog, OfARunThatHasEndedIsOverAtOnce) {
  const auto record = start(in_background("true"));
  wait_for_end(record);
  EXPECT_TRUE(read({.run_id = record.id(), .wait_ms = kLong}).run->exit);
  EXPECT_TRUE(read({.run_id = record.id(), .from = 100000, .wait_ms = kLong}).run->exit);
}

TEST_F(WaitForLog, EndsWithItsTime) {
  const auto record = start(in_background("echo text; " + until("go")));
  ASSERT_TRUE(testing::eventually([&] { return record.size_of("log") == 5; }));
  const auto began = std::chrono::steady_clock::now();
  for (const std::string filter : {"", "nothing"}) {
    const auto reply = read({.run_id = record.id(), .from = 5, .filter = filter, .wait_ms = 100});
    EXPECT_EQ(text_in(reply), "");
    EXPECT_EQ(reply.next, 5U);
    ASSERT_TRUE(reply.run);
    EXPECT_FALSE(reply.run->exit);
    EXPECT_TRUE(reply.run->supervisor_lives);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(200));
}

TEST_F(WaitForLog, EndsWhenALogAppears) {
  const std::string path = scratch_ / "later";
  ask(1, wire::ReadLogRequest{.path = path, .from = 0, .wait_ms = kLong});
  expect_waiting(1);
  scratch_.write("later", "here\n");
  const auto reply = take_log(1);
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_in(*reply), "here\n");
}

TEST_F(WaitForLog, EndsWhenTheLogIsCutOrReplaced) {
  const std::string path = scratch_.write("log", "0123456789");
  for (const std::string filter : {"", "x"}) {
    scratch_.write("log", "0123456789");
    ask(1, wire::ReadLogRequest{.path = path, .from = 10, .filter = filter, .wait_ms = kLong});
    expect_waiting(1);
    ASSERT_EQ(::truncate(path.c_str(), 3), 0);
    auto reply = take_log(1);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->problem, "the log is shorter than byte 10: it was cut");
    EXPECT_EQ(reply->next, 3U);

    scratch_.write("log", "0123456789");
    ask(2, wire::ReadLogRequest{.path = path, .from = 10, .filter = filter, .wait_ms = kLong});
    expect_waiting(2);
    const std::string other = scratch_.write("other", "another file, and a longer one\n");
    ASSERT_EQ(::rename(other.c_str(), path.c_str()), 0);
    reply = take_log(2);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->problem, "another file has taken the place of the log");
  }
}

TEST_F(WaitForLog, ManyOfThemDoNotDisturbEachOther) {
  const std::string path = scratch_.write("log", "");
  for (wire::StreamId stream = 1; stream <= 50; ++stream) {
    ask(stream, wire::ReadLogRequest{
                    .path = path, .from = 0, .filter = concat("^", stream, "$"), .wait_ms = kLong});
  }
  for (wire::StreamId stream = 1; stream <= 50; ++stream) {
    append(path, concat(stream, "\n"));
    const auto reply = take_log(stream);
    ASSERT_TRUE(reply);
    EXPECT_EQ(text_in(*reply), concat(stream, "\n"));
  }
}

}  // namespace
}  // namespace yonder::outpost
