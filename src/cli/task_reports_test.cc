#include "cli/task_reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome<ops::TaskInfo> ended(const std::string& run, RunState state,
                             std::optional<int> code = std::nullopt) {
  ops::TaskInfo task;
  task.run_id = RunId(run);
  task.status.state = state;
  task.status.exit_code = code;
  return {run, task};
}

Outcome<ops::StopTaskResponse> stopped(const std::string& run, bool gone) {
  ops::StopTaskResponse response;
  response.task.run_id = RunId(run);
  response.task.status.state = RunState::Stopped;
  response.gone = gone;
  return {run, response};
}

TEST(WaitReport, ExitsAsTheRunDid) {
  auto one = ended("r-a", RunState::Exited, 3);
  one.result->status.duration_s = 312;
  const Report report = wait_report({one}, {});
  EXPECT_EQ(report.status, 3);
  EXPECT_EQ(report.out, "r-a: exited with 3 after 5m12s\n");
  EXPECT_THAT(report.messages, IsEmpty());
  EXPECT_EQ(wait_report({ended("r-a", RunState::Exited, 0)}, {}).status, 0);
  EXPECT_EQ(wait_report({ended("r-a", RunState::Signaled, 137)}, {}).status, 137);
  EXPECT_EQ(wait_report({ended("r-a", RunState::TimedOut, 124)}, {}).status, 124);
  EXPECT_EQ(wait_report({ended("r-a", RunState::Stopped, 143)}, {}).status, 143);
  EXPECT_NE(wait_report({ended("r-a", RunState::Stopped)}, {}).status, 0);
}

TEST(WaitReport, ExitsAsTheFirstOfSeveralThatFailed) {
  const Report report =
      wait_report({ended("r-a", RunState::Exited, 0), ended("r-b", RunState::Exited, 5),
                   ended("r-c", RunState::Exited, 7)},
                  {});
  EXPECT_EQ(report.status, 5);
  EXPECT_EQ(report.out, "r-a: exited with 0\nr-b: exited with 5\nr-c: exited with 7\n");
}

TEST(WaitReport, NeverCallsTheLostOrTheUnknownAnEnd) {
  auto lost = ended("r-a", RunState::Lost);
  lost.result->status.proof = "the machine has booted since";
  const Report of_lost = wait_report({lost}, {});
  EXPECT_EQ(of_lost.status, 255);
  EXPECT_EQ(of_lost.out, "");
  EXPECT_THAT(of_lost.messages, ElementsAre("r-a: is lost: the machine has booted since"));
  const Report of_unknown = wait_report({ended("r-a", RunState::Unknown)}, {});
  EXPECT_EQ(of_unknown.status, 255);
  EXPECT_THAT(of_unknown.messages, ElementsAre(HasSubstr("yonder wait r-a")));
  const Report of_error = wait_report({{"r-a", Error{Errc::Unreachable, "no route", "hint"}}}, {});
  EXPECT_EQ(of_error.status, 255);
  EXPECT_THAT(of_error.messages, ElementsAre("r-a: no route; hint"));
}

TEST(WaitReport, NamesWhatStillLivesAfterTheCommand) {
  auto one = ended("r-a", RunState::Exited, 0);
  one.result->status.left_running = {{12, "sleep 1000"}};
  const Report report = wait_report({one}, {});
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(report.messages, ElementsAre("r-a: still running after it: pid 12 sleep 1000"));
}

TEST(WaitReport, SaysHowToComeBackAfterCtrlC) {
  const Report report = wait_report({ended("r-a", RunState::Exited, 4),
                                     ended("r-b", RunState::Running),
                                     {"r-c", Error{Errc::Cancelled, "cancelled", ""}}},
                                    {.signal = SIGINT});
  EXPECT_EQ(report.status, 130);
  EXPECT_EQ(report.out, "r-a: exited with 4\n");
  EXPECT_THAT(report.messages, ElementsAre(HasSubstr("yonder wait r-b r-c")));
}

TEST(WaitReport, KeepsTheOwnStatusOfARunThatEndedBeforeCtrlC) {
  EXPECT_EQ(wait_report({ended("r-a", RunState::Exited, 3)}, {.signal = SIGINT}).status, 3);
}

TEST(StopReport, SaysWhatBecameOfEachRun) {
  auto before = stopped("r-b", true);
  before.result->had_ended = true;
  before.result->task.status.state = RunState::Exited;
  before.result->task.status.exit_code = 3;
  auto killed = before;
  killed.run = "r-c";
  killed.result->task.status.state = RunState::Signaled;
  killed.result->task.status.signal = "SIGKILL";
  const Report report = stop_report({stopped("r-a", true), before, killed}, {});
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(report.out,
            "r-a: stopped\nr-b: had already exited with 3\n"
            "r-c: had already been ended by SIGKILL\n");
  EXPECT_THAT(report.messages, IsEmpty());
}

TEST(StopReport, NamesWhatIsNotGone) {
  auto stuck = stopped("r-a", false);
  stuck.result->task.status.left_running = {{12, "sleep 1000"}, {13, "make"}};
  const Report report = stop_report({stuck, stopped("r-b", true)}, {});
  EXPECT_EQ(report.status, 1);
  EXPECT_EQ(report.out, "r-a: NOT gone: pid 12 sleep 1000, pid 13 make\nr-b: stopped\n");
  auto running = stopped("r-a", false);
  running.result->task.status.state = RunState::Running;
  EXPECT_EQ(stop_report({running}, {}).out, "r-a: NOT gone: it runs\n");
}

TEST(StopReport, DoesNotClaimAStopThatNobodySaw) {
  auto unseen = stopped("r-a", false);
  unseen.result->connection_error = true;
  unseen.result->task.status.state = RunState::Unknown;
  const Report report = stop_report({unseen}, {});
  EXPECT_EQ(report.status, 255);
  EXPECT_EQ(report.out, "");
  EXPECT_THAT(report.messages, ElementsAre(HasSubstr("yonder stop r-a")));
  EXPECT_EQ(stop_report({unseen, stopped("r-b", true)}, {}).status, 255);
}

TEST(StopReport, PrefersWhatIsKnownToLive) {
  auto unseen = stopped("r-a", false);
  unseen.result->connection_error = true;
  EXPECT_EQ(stop_report({unseen, stopped("r-b", false)}, {}).status, 1);
}

TEST(StopReport, SaysThatItWasLeftEarly) {
  const Report report =
      stop_report({{"r-a", Error{Errc::Cancelled, "cancelled", ""}}}, {.signal = SIGINT});
  EXPECT_EQ(report.status, 130);
  EXPECT_THAT(report.messages, ElementsAre(HasSubstr("may go on")));
}

TEST(RmReport, RefusesWhatLivesWithTheWayToEndIt) {
  const Report report = rm_report(
      {ended("r-a", RunState::Exited, 0), {"r-b", Error{Errc::Conflict, "it runs", "stop it"}}});
  EXPECT_EQ(report.status, 1);
  EXPECT_EQ(report.out, "r-a: forgotten\n");
  EXPECT_THAT(report.messages, ElementsAre("r-b: it runs; end it with: yonder stop r-b"));
  EXPECT_EQ(rm_report({{"r-a", Error{Errc::Unreachable, "", ""}}}).status, 255);
  EXPECT_EQ(rm_report({ended("r-a", RunState::Exited, 1)}).status, 0);
}

ops::LogEnd log_end(RunState state) {
  return {.task = *ended("r-a", state, 3).result};
}

TEST(LogsReport, ExitsWithZeroHoweverTheRunEnded) {
  const Report report = logs_report(log_end(RunState::Exited), "r-a", true, {});
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(report.messages, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre("r-a exited with 3"));
  EXPECT_EQ(logs_report(log_end(RunState::Running), "r-a", false, {}).status, 0);
}

TEST(LogsReport, SaysWhenFollowingEndedWithoutAnEnd) {
  const Report report = logs_report(log_end(RunState::Unknown), "r-a", true, {});
  EXPECT_EQ(report.status, 255);
  EXPECT_THAT(report.messages, ElementsAre(HasSubstr("cannot be seen")));
  EXPECT_EQ(logs_report(Error{Errc::NotFound, "", ""}, "r-a", true, {}).status, 255);
}

TEST(LogsReport, SaysOfARunThatWaitsWhyThereIsNothing) {
  ops::LogEnd end;
  end.task = *ended("r-a", RunState::Queued).result;
  end.task->status.queue = QueuePlace{.ahead = 2, .since_ms = 0, .holders = {"GPU 0: bob"}};
  const Report report = logs_report(end, "r-a", false, {});
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(report.messages, ElementsAre(HasSubstr("r-a is queued, 2 ahead")));
  EXPECT_THAT(report.notes, ElementsAre("GPU 0: bob"));
}

TEST(LogsReport, SaysWhyThereIsNothingToRead) {
  auto end = log_end(RunState::Exited);
  end.problem = "the log is not at /x any more";
  EXPECT_THAT(logs_report(end, "r-a", false, {}).messages, ElementsAre(end.problem));
}

TEST(LogsReport, SaysThatCtrlCLeftTheRunAlone) {
  auto end = log_end(RunState::Running);
  end.detached = true;
  for (const Result<ops::LogEnd>& left :
       {Result<ops::LogEnd>(end), Result<ops::LogEnd>(Error{Errc::Cancelled, "", ""})}) {
    const Report report = logs_report(left, "r-a", true, {.signal = SIGINT});
    EXPECT_EQ(report.status, 130);
    EXPECT_THAT(report.messages, ElementsAre(HasSubstr("left alone")));
  }
}

TEST(LogsReport, EndsLikeABrokenPipeWithoutAWord) {
  const Report report = logs_report(log_end(RunState::Running), "r-a", true, {.reader_gone = true});
  EXPECT_EQ(report.status, 141);
  EXPECT_THAT(report.messages, IsEmpty());
}

}  // namespace
}  // namespace yonder::cli
