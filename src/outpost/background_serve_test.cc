#include <gmock/gmock.h>

#include "outpost/background_fixture_test.h"
#include "outpost/serve_client_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Background runs over a link.
class BackgroundServe : public BackgroundOf<ServeTest> {
 protected:
  RunRecord record_of(const wire::StartRequest& request) const {
    return RunRecord(around_.state_dir, RunId(request.run_id));
  }
  // Starts it, and comes back when it has begun.
  RunRecord begin(wire::StartRequest wanted) {
    wanted.follow.until_begun = true;
    ask(++stream_, wanted);
    const auto answer = take_answer(stream_);
    EXPECT_TRUE(answer.facts && (answer.facts->alive || answer.facts->exit))
        << (answer.error ? answer.error->message : "");
    return record_of(wanted);
  }
  Answer stop(const wire::StopRequest& request) {
    ask(++stream_, request);
    return take_answer(stream_);
  }
  wire::StreamId stream_ = 10;
};

TEST_F(BackgroundServe, AnswersAsSoonAsTheCommandHasBegun) {
  auto wanted = in_background(until("go") + "exit 6");
  wanted.follow.until_begun = true;
  wanted.session = "train";
  ask(1, wanted);
  const auto answer = take_answer(1);
  ASSERT_TRUE(answer.facts && answer.facts->alive);
  EXPECT_FALSE(answer.facts->existed);
  EXPECT_FALSE(answer.facts->exit);
  EXPECT_TRUE(answer.facts->command_lives);
  EXPECT_EQ(answer.facts->alive->launcher, "session");
  ASSERT_TRUE(answer.facts->label);
  EXPECT_EQ(answer.facts->label->session, "train");
  EXPECT_EQ(answer.facts->label->log_file, record_of(wanted).path("log"));
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record_of(wanted)).code, 6);
}

TEST_F(BackgroundServe, AnswersAtTheEndOfTheWaitWhenTheCommandHasNotBegun) {
  const auto wanted = in_background("true");
  const auto record = record_of(wanted);
  ASSERT_TRUE(make_directory(record.directory()));
  ASSERT_TRUE(
      write_file_atomically(record.path("spec"), wire::encode(wanted), Durability::Process));
  const auto lock = record.try_lock();
  ASSERT_TRUE(lock && *lock);
  ask(1,
      wire::FollowRequest{.run_id = record.id(), .follow = {.wait_ms = 50, .until_begun = true}});
  const auto answer = take_answer(1);
  ASSERT_TRUE(answer.facts);
  EXPECT_FALSE(answer.facts->alive);
  EXPECT_TRUE(answer.facts->supervisor_lives) << "about to begin";
}

TEST_F(BackgroundServe, AnswersForACommandThatEndedAtOnce) {
  for (int i = 0; i < 20; ++i) {
    const auto record = begin(in_background("exit 2"));
    EXPECT_EQ(wait_for_end(record).code, 2);
  }
}

TEST_F(BackgroundServe, FollowsALogFromWhereTheRunBegan) {
  const std::string old(100000, 'o');
  scratch_.write("a.log", old + "\nEXIT_CODE=9\n");
  auto wanted = in_background("echo new; " + until("go") + "echo end");
  wanted.log_file = "a.log";
  wanted.follow.head = 100;
  wanted.follow.tail = 100;
  ask(1, wanted);
  ASSERT_TRUE(testing::eventually([&] { return scratch_.read("a.log").ends_with("\nnew\n"); }));
  scratch_.write("go", "");
  auto answer = take_answer(1);
  ASSERT_TRUE(answer.facts && answer.facts->exit);
  EXPECT_EQ(answer.facts->exit->code, 0);
  EXPECT_EQ(answer.bytes[wire::Channel::Out], "new\nend\nEXIT_CODE=0\n");
  EXPECT_EQ(answer.facts->label->log_from, 100013U);
}

TEST_F(BackgroundServe, SendsALogElsewhereAsSoonAsItGrows) {
  auto wanted = in_background("echo one; " + until("go") + "echo two; sleep 1000");
  wanted.log_file = "~/a.log";
  ask(1, wanted);
  std::string seen;
  const auto take_until = [&](const std::string& text) {
    while (seen != text) {
      const auto frame = next_frame();
      if (!frame) return false;
      if (frame->kind == wire::Kind::Data) seen += wire::parse_data(frame->payload)->bytes;
    }
    return true;
  };
  ASSERT_TRUE(take_until("one\n"));
  scratch_.write("go", "");
  ASSERT_TRUE(take_until("one\ntwo\n"));
}

TEST_F(BackgroundServe, GoesOnWhenTheOutpostIsKilled) {
  for (const bool with_spare : {false, true}) {
    if (with_spare) {
      ask(1, request("true"));  // a link that has started something keeps a spare
      take_answer(1);
    }
    const std::string go = with_spare ? "go2" : "go1";
    const auto record = begin(in_background("echo begun; " + until(go) + "echo end; exit 8"));
    const auto alive = alive_of(record);
    ASSERT_EQ(::kill(server_, SIGKILL), 0);
    disconnect();
    EXPECT_TRUE(lives(alive.supervisor));
    EXPECT_TRUE(lives(alive.command));
    connect();
    EXPECT_FALSE(facts_of(record).exit);
    scratch_.write(go, "");
    EXPECT_EQ(wait_for_end(record).code, 8);
    EXPECT_EQ(log_of(record), "begun\nend\nEXIT_CODE=8\n");
  }
}

TEST_F(BackgroundServe, StopsByItsSessionName) {
  auto wanted = in_background("exec sleep 1000");
  wanted.session = "train.1: a";
  const auto record = begin(wanted);
  const auto stopped = stop({.session = "train.1: a", .grace_ms = 3600 * 1000});
  ASSERT_TRUE(stopped.facts && stopped.facts->exit);
  EXPECT_EQ(stopped.facts->run_id, record.id());
  EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop);
  EXPECT_THAT(stopped.facts->members, IsEmpty());
  EXPECT_EQ(log_of(record), "EXIT_CODE=143\n");
}

TEST_F(BackgroundServe, StopsTheNewestRunOfASessionName) {
  auto wanted = in_background("true");
  wanted.session = "train";
  wait_for_end(begin(wanted));
  wanted = in_background("sleep 1000");
  wanted.session = "train";
  const auto newest = begin(wanted);
  EXPECT_EQ(stop({.session = "train", .grace_ms = 1000}).facts->run_id, newest.id());
}

TEST_F(BackgroundServe, SaysThatASessionIsNotThere) {
  const auto answer = stop({.session = "nobody"});
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->code, Errc::NotFound);
  EXPECT_THAT(answer.error->message, HasSubstr("'nobody'"));
}

TEST_F(BackgroundServe, SendsTheWantedSignalFirst) {
  const auto record =
      begin(in_background("trap 'echo interrupted; exit 0' INT; trap 'exit 9' TERM; "
                          ": > ready; while :; do sleep 0.01; done"));
  wait_for_file("ready");
  const auto stopped = stop({.run_id = record.id(), .signal = SIGINT, .grace_ms = 3600 * 1000});
  ASSERT_TRUE(stopped.facts && stopped.facts->exit);
  EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop) << "the first cause wins";
  EXPECT_EQ(stopped.facts->exit->code, 0);
  EXPECT_EQ(log_of(record), "interrupted\nEXIT_CODE=0\n");
}

TEST_F(BackgroundServe, SendsTheWantedSignalToWhatHasLostItsSupervisor) {
  const auto record = begin(in_background(
      "trap 'echo interrupted; exit 0' INT; : > ready; while :; do sleep 0.01; done"));
  wait_for_file("ready");
  const auto alive = alive_of(record);
  ::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return !lives(alive.supervisor); }));
  // Were what is gone waited for, the answer would come after this grace.
  const auto stopped = stop({.run_id = record.id(), .signal = SIGINT, .grace_ms = 3600 * 1000});
  ASSERT_TRUE(stopped.facts);
  EXPECT_FALSE(stopped.facts->command_lives);
  EXPECT_EQ(log_of(record), "interrupted\n");
}

TEST_F(BackgroundServe, KillsAfterTheGraceWhatIgnoresTheSignal) {
  const auto record =
      begin(in_background("trap '' TERM HUP INT; : > ready; setsid sh -c 'echo $$ > escaped; while "
                          ":; do sleep 1; done' & "
                          "set -m; sh -c 'echo $$ > grouped; while :; do sleep 1; done' & wait"));
  const pid_t escaped = pid_from("escaped");
  const pid_t grouped = pid_from("grouped");
  const auto stopped = stop({.run_id = record.id(), .signal = SIGHUP, .grace_ms = 100});
  ASSERT_TRUE(stopped.facts && stopped.facts->exit);
  EXPECT_EQ(stopped.facts->exit->signal, SIGKILL);
  EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop);
  EXPECT_THAT(stopped.facts->members, IsEmpty());
  EXPECT_TRUE(process_gone(escaped));
  EXPECT_TRUE(process_gone(grouped));
  EXPECT_EQ(log_of(record), "EXIT_CODE=137\n");
}

TEST_F(BackgroundServe, RefusesSignalsThatCannotBeSent) {
  const auto record = begin(in_background("sleep 1000"));
  for (const int number : {0, -1, 32, 64, 1000}) {
    const auto answer = stop({.run_id = record.id(), .signal = number});
    ASSERT_TRUE(answer.error) << number;
    EXPECT_EQ(answer.error->code, Errc::InvalidArgument);
    EXPECT_THAT(answer.error->message, HasSubstr("signal"));
  }
  EXPECT_TRUE(facts_of(record).command_lives);
}

TEST_F(BackgroundServe, StopsARunThatHasNotBegun) {
  const auto wanted = in_background(": > never");
  const auto record = record_of(wanted);
  ASSERT_TRUE(make_directory(record.directory()));
  ASSERT_TRUE(
      write_file_atomically(record.path("spec"), wire::encode(wanted), Durability::Process));
  auto lock = record.try_lock();
  ASSERT_TRUE(lock && *lock);
  ask(1, wire::StopRequest{.run_id = record.id(), .grace_ms = 1000});
  ASSERT_TRUE(testing::eventually([&] { return record.stop_wanted(); }));
  // Whoever was starting it goes on now.
  const pid_t starter = ::fork();
  if (starter == 0) ::_exit(supervise(HeldRecord(record), wanted));
  lock->reset();
  const auto stopped = take_answer(1);
  ::waitpid(starter, nullptr, 0);
  ASSERT_TRUE(stopped.facts && stopped.facts->exit);
  EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop);
  EXPECT_FALSE(path_exists(scratch_ / "never"));
}

TEST(StopOrders, FitIntoTheNumberOfASignal) {
  for (const std::int64_t grace : {0LL, 1LL, 5000LL, 3600000LL}) {
    for (int number = 1; number < 32; ++number) {
      const auto order = decode_stop(encode_stop({.grace_ms = grace, .signal = number}));
      EXPECT_EQ(order.grace_ms, grace);
      EXPECT_EQ(order.signal, number);
    }
  }
  EXPECT_EQ(decode_stop(200).signal, SIGTERM);
  EXPECT_EQ(decode_stop(encode_stop({.grace_ms = -5})).grace_ms, 0);
}

}  // namespace
}  // namespace yonder::outpost
