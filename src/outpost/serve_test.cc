#include "outpost/serve.h"

#include <gmock/gmock.h>

#include "outpost/serve_client_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Serve : public ServeTest {};

TEST_F(Serve, GreetsWithWhatTheMachineIs) {
  const auto frame = next_frame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, wire::Kind::Reply);
  EXPECT_EQ(frame->stream, 0U);
  const auto hello = wire::decode_hello(frame->payload);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->build, "build");
  EXPECT_EQ(hello->boot_id, read_boot_id());
  EXPECT_EQ(hello->home, around_.home);
  EXPECT_EQ(hello->state_dir, around_.state_dir);
  EXPECT_EQ(hello->pid, server_);
}

TEST_F(Serve, StartsARunAndFollowsItToItsEnd) {
  ask(1, request("echo out; echo err >&2; exit 3"));
  const auto answer = take_answer(1);
  ASSERT_TRUE(answer.facts && answer.facts->exit);
  EXPECT_EQ(answer.facts->exit->code, 3);
  EXPECT_FALSE(answer.facts->existed);
  EXPECT_EQ(answer.bytes.at(wire::Channel::Out), "out\n");
  EXPECT_EQ(answer.bytes.at(wire::Channel::Err), "err\n");
  EXPECT_EQ(answer.facts->out_bytes, 4U);
}

TEST_F(Serve, AnswersManyAtOnceEachOnItsStream) {
  const auto slow = request("while [ ! -e go ]; do sleep 0.01; done; echo slow");
  ask(5, slow);
  ask(6, request("echo fast"));
  EXPECT_EQ(take_answer(6).bytes[wire::Channel::Out], "fast\n");
  scratch_.write("go", "");
  EXPECT_EQ(take_answer(5).bytes[wire::Channel::Out], "slow\n");
}

TEST_F(Serve, AnswersAtTheEndOfTheWaitAndLetsTheWorkGoOn) {
  auto wanted = request("echo begun; while [ ! -e go ]; do sleep 0.01; done; echo done");
  wanted.follow.wait_ms = 30;
  ask(1, wanted);
  const auto first = take_answer(1);
  ASSERT_TRUE(first.facts);
  EXPECT_FALSE(first.facts->exit);
  EXPECT_TRUE(first.facts->record_found);
  scratch_.write("go", "");
  ask(2, wire::FollowRequest{.run_id = wanted.run_id});
  const auto second = take_answer(2);
  ASSERT_TRUE(second.facts && second.facts->exit);
  EXPECT_TRUE(second.facts->existed);
  EXPECT_EQ(second.bytes.at(wire::Channel::Out), "begun\ndone\n");
}

TEST_F(Serve, LeavesARunAloneWhenItsLinkEnds) {
  const auto wanted = request(": > ready; while [ ! -e go ]; do sleep 0.01; done; exit 9");
  ask(1, wanted);
  wait_for_file("ready");
  disconnect();
  connect();
  scratch_.write("go", "");
  ask(1, wanted);
  const auto answer = take_answer(1);
  ASSERT_TRUE(answer.facts && answer.facts->exit);
  EXPECT_TRUE(answer.facts->existed);
  EXPECT_EQ(answer.facts->exit->code, 9);
}

TEST_F(Serve, StopsARunAndSeesItGone) {
  const auto wanted = request("trap '' TERM; : > ready; sleep 1000 & wait; sleep 1000");
  ask(1, wanted);
  wait_for_file("ready");
  ask(2, wire::StopRequest{.run_id = wanted.run_id, .grace_ms = 50});
  const auto stopped = take_answer(2);
  ASSERT_TRUE(stopped.facts && stopped.facts->exit);
  EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop);
  EXPECT_THAT(stopped.facts->members, IsEmpty());
  EXPECT_FALSE(stopped.facts->supervisor_lives);
}

// A command can write into its own record.
TEST_F(Serve, WaitsForTheEndThatTheSupervisorRecords) {
  const RunRecord other = start("exit 0");
  wait_for_end(other);
  const auto wanted = request("cp " + other.path("exit") + " " + around_.state_dir +
                              "/runs/$YONDER_RUN_ID/exit; : > forged; "
                              "while [ ! -e go ]; do sleep 0.01; done; exit 5");
  ask(1, wanted);
  wait_for_file("forged");
  const RunRecord record(around_.state_dir, RunId(wanted.run_id));
  EXPECT_FALSE(has_surely_ended(record, around_.boot_id));
  ask(2, wire::FollowRequest{.run_id = wanted.run_id, .follow = {.wait_ms = 0}});
  const auto meanwhile = take_answer(2);
  ASSERT_TRUE(meanwhile.facts);
  EXPECT_FALSE(has_surely_ended(*meanwhile.facts));
  scratch_.write("go", "");
  const auto answer = take_answer(1);
  ASSERT_TRUE(answer.facts && answer.facts->exit);
  EXPECT_EQ(answer.facts->exit->code, 5);
}

// With processes that have gone, so that nothing in the record shows that the command lives.
TEST_F(Serve, BelievesNoEndBeforeTheSupervisorHasSeenItWhateverIsInTheRecord) {
  const RunRecord other = start("exit 0");
  wait_for_end(other);
  const auto wanted = request(
      concat("cd ", around_.state_dir, "/runs/$YONDER_RUN_ID; cp spec s; mv s spec; cp ",
             other.path("alive"), " a; mv a alive; cp ", other.path("exit"), " e; mv e exit; cd ",
             scratch_.path(), "; : > forged; while [ ! -e go ]; do sleep 0.01; done; exit 5"));
  ask(1, wanted);
  wait_for_file("forged");
  const RunRecord record(around_.state_dir, RunId(wanted.run_id));
  EXPECT_FALSE(has_surely_ended(record, around_.boot_id));
  ask(2, wire::FollowRequest{.run_id = wanted.run_id, .follow = {.wait_ms = 0}});
  const auto meanwhile = take_answer(2);
  ASSERT_TRUE(meanwhile.facts);
  EXPECT_FALSE(has_surely_ended(*meanwhile.facts));
  EXPECT_TRUE(meanwhile.facts->supervisor_lives);
  scratch_.write("go", "");
  const auto answer = take_answer(1);
  ASSERT_TRUE(answer.facts && answer.facts->exit);
  EXPECT_EQ(answer.facts->exit->code, 5);
  EXPECT_TRUE(has_surely_ended(record, around_.boot_id));
}

TEST_F(Serve, StopsARunThatHasAnotherRunsProcessesInItsRecord) {
  const RunRecord other = start(": > begun; sleep 1000");
  wait_for_file("begun");
  const auto wanted = request("cp " + other.path("alive") + " " + around_.state_dir +
                              "/runs/$YONDER_RUN_ID/alive; echo $$ > pid; exec sleep 1000");
  ask(1, wanted);
  const pid_t command = pid_from("pid");
  ask(2, wire::StopRequest{.run_id = wanted.run_id, .grace_ms = 5000});
  const auto stopped = take_answer(2);
  ASSERT_TRUE(stopped.facts && stopped.facts->exit);
  EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop);
  EXPECT_TRUE(has_surely_ended(*stopped.facts));
  EXPECT_FALSE(stopped.facts->supervisor_lives);
  EXPECT_TRUE(process_gone(command));
  EXPECT_FALSE(other.has_ended()) << "it is none of its business";
}

TEST_F(Serve, EndsWhatHasKeptNothingOfItsRunButTheOutputWhenTheSupervisorIsGone) {
  const auto wanted = request(
      "setsid env -i sh -c 'echo $$ > new; mv new left; exec sleep 1000' & exec sleep 1000");
  ask(1, wanted);
  const pid_t left = pid_from("left");
  const RunRecord record(around_.state_dir, RunId(wanted.run_id));
  const auto alive = record.read_alive();
  ASSERT_TRUE(alive && *alive);
  for (const auto& key : {(*alive)->supervisor, (*alive)->command}) {
    ::kill(static_cast<pid_t>(key.pid), SIGKILL);
    ASSERT_TRUE(testing::eventually([&] { return !lives(key); }));
  }
  const auto facts = observe(record, around_.boot_id);
  ASSERT_EQ(facts.members.size(), 1U);
  EXPECT_EQ(facts.members[0].pid, left);
  ask(2, wire::StopRequest{.run_id = wanted.run_id, .grace_ms = 5000});
  const auto stopped = take_answer(2);
  ASSERT_TRUE(stopped.facts);
  EXPECT_FALSE(stopped.facts->exit);
  EXPECT_THAT(stopped.facts->members, IsEmpty());
  EXPECT_TRUE(process_gone(left));
}

TEST_F(Serve, SaysWhetherARunHadEndedBeforeItsStop) {
  const auto wanted = request("echo $$ > pid; sleep 1000");
  ask(1, wanted);
  pid_from("pid");
  for (const bool before : {false, true}) {
    ask(2, wire::StopRequest{.run_id = wanted.run_id, .grace_ms = 5000});
    const auto stopped = take_answer(2);
    ASSERT_TRUE(stopped.facts && stopped.facts->exit);
    EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop);
    EXPECT_EQ(stopped.facts->existed, before);
  }
}

TEST_F(Serve, RecordsAStopThatComesRightBehindTheStart) {
  for (int i = 0; i < 10; ++i) {
    const auto wanted = request("sleep 1000");
    std::string both;
    wire::append_message(both, wire::Kind::Request, 1, wire::encode(wire::AnyRequest(wanted)));
    wire::append_message(both, wire::Kind::Request, 2,
                         wire::encode(wire::AnyRequest(wire::StopRequest{
                             .run_id = wanted.run_id, .grace_ms = 1000, .prevent = true})));
    ASSERT_TRUE(write_all(to_, both));
    const auto stopped = take_answer(2);
    ASSERT_TRUE(stopped.facts && stopped.facts->exit);
    EXPECT_EQ(stopped.facts->exit->cause, wire::Cause::Stop);
    EXPECT_THAT(stopped.facts->members, IsEmpty());
  }
}

TEST_F(Serve, StopsByKeyTheRunThatTheKeyLedTo) {
  auto wanted = request(": > ready; sleep 1000");
  wanted.key = "k";
  ask(1, wanted);
  wait_for_file("ready");
  ask(2, wire::StopRequest{.run_id = new_run_id().str(), .key = "k", .grace_ms = 50});
  const auto stopped = take_answer(2);
  ASSERT_TRUE(stopped.facts);
  EXPECT_EQ(stopped.facts->run_id, wanted.run_id);
}

TEST_F(Serve, EndsWhatIsLeftOfARunWhoseSupervisorWasKilled) {
  const auto wanted = request("echo $$ > pid; sleep 1000");
  ask(1, wanted);
  const pid_t command = pid_from("pid");
  const auto alive = RunRecord(around_.state_dir, RunId(wanted.run_id)).read_alive();
  ASSERT_TRUE(alive && *alive);
  ::kill(static_cast<pid_t>((*alive)->supervisor.pid), SIGKILL);
  ask(3, wire::FollowRequest{.run_id = wanted.run_id, .follow = {.wait_ms = 50}});
  const auto followed = take_answer(3);
  ASSERT_TRUE(followed.facts);
  EXPECT_TRUE(followed.facts->command_lives) << "a command without its supervisor goes on";
  ask(2, wire::StopRequest{.run_id = wanted.run_id, .grace_ms = 50});
  const auto stopped = take_answer(2);
  ASSERT_TRUE(stopped.facts);
  EXPECT_THAT(stopped.facts->members, IsEmpty());
  EXPECT_TRUE(testing::eventually([&] { return process_gone(command); }));
}

TEST_F(Serve, PreventsARunThatHasNotArrived) {
  const auto wanted = request(": > never");
  ask(1, wire::StopRequest{.run_id = wanted.run_id, .prevent = true});
  const auto prevented = take_answer(1);
  ASSERT_TRUE(prevented.facts && prevented.facts->exit);
  ask(2, wanted);
  const auto answer = take_answer(2);
  ASSERT_TRUE(answer.facts && answer.facts->exit);
  EXPECT_EQ(answer.facts->exit->cause, wire::Cause::Stop);
  EXPECT_FALSE(path_exists(scratch_ / "never"));
}

TEST_F(Serve, SaysThatARunIsNotThere) {
  ask(1, wire::FollowRequest{.run_id = new_run_id().str()});
  EXPECT_EQ(take_answer(1).error->code, Errc::NotFound);
  ask(2, wire::StopRequest{.run_id = new_run_id().str()});
  EXPECT_EQ(take_answer(2).error->code, Errc::NotFound);
  ask(3, wire::FollowRequest{.run_id = "../../../etc"});
  EXPECT_EQ(take_answer(3).error->code, Errc::InvalidArgument);
}

TEST_F(Serve, AnswersARequestThatItDoesNotUnderstand) {
  send(wire::Kind::Request, 1, "\xff");
  EXPECT_EQ(take_answer(1).error->code, Errc::Protocol);
  auto wanted = request("true");
  wanted.cwd = "/no/such";
  ask(2, wanted);
  EXPECT_THAT(take_answer(2).error->message, HasSubstr("/no/such"));
}

TEST_F(Serve, TakesARequestInParts) {
  auto wanted = request("echo ${#BIG}; : " + std::string(150000, 'x'));
  wanted.env["BIG"] = std::string(100000, 'y');
  ask(1, wanted);
  EXPECT_EQ(take_answer(1).bytes[wire::Channel::Out], "100000\n");
}

TEST_F(Serve, AnswersAPingWithItsPayload) {
  send(wire::Kind::Ping, 77, "abc");
  next_frame();  // the Hello
  const auto pong = next_frame();
  ASSERT_TRUE(pong);
  EXPECT_EQ(pong->kind, wire::Kind::Pong);
  EXPECT_EQ(pong->stream, 77U);
  EXPECT_EQ(pong->payload, "abc");
}

TEST_F(Serve, ProbesWhileItServes) {
  next_frame();
  ask(1, wire::ProbeRequest{});
  const auto frame = next_frame();
  ASSERT_TRUE(frame);
  const auto reply = wire::decode_probe(frame->payload);
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->places.empty());
}

TEST_F(Serve, ForgetsAStreamThatIsCancelledButNotItsRun) {
  const auto wanted = request(": > ready; while [ ! -e go ]; do sleep 0.01; done; echo late");
  ask(1, wanted);
  wait_for_file("ready");
  send(wire::Kind::Cancel, 1, "");
  ask(2, wire::FollowRequest{.run_id = wanted.run_id});
  scratch_.write("go", "");
  EXPECT_EQ(take_answer(2).bytes[wire::Channel::Out], "late\n");
}

TEST_F(Serve, EndsTheLinkWhenTheNearSideEndsIt) {
  to_.reset();
  EXPECT_TRUE(link_ended());
}

TEST_F(Serve, EndsTheLinkAtFramesThatBreakTheRules) {
  std::string unknown_kind;
  wire::append_frame(unknown_kind, static_cast<wire::Kind>(12), 1, "");
  std::string far_side_only;
  wire::append_frame(far_side_only, wire::Kind::Reply, 1, "");
  std::string short_credit;
  wire::append_frame(short_credit, wire::Kind::Credit, 1, "abc");
  std::string short_data;
  wire::append_frame(short_data, wire::Kind::Data, 1, "12345678");
  const std::string too_long("\xff\xff\xff\x7f\x01", 5);
  for (const auto& bytes : {unknown_kind, far_side_only, short_credit, short_data, too_long}) {
    ASSERT_TRUE(write_all(to_, bytes));
    EXPECT_TRUE(link_ended());
    connect();
  }
}

TEST_F(Serve, EndsTheLinkAtAMessageWithoutEnd) {
  std::string part;
  wire::append_frame(part, wire::Kind::Part, 1, std::string(wire::kMaxPayload, 'x'));
  bool refused = false;
  for (std::size_t sent = 0; sent <= wire::kMaxMessage + wire::kMaxPayload && !refused;
       sent += wire::kMaxPayload) {
    refused = !write_all(to_, part);
  }
  EXPECT_TRUE(link_ended());
}

}  // namespace
}  // namespace yonder::outpost
