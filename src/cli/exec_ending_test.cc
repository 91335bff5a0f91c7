#include "cli/exec_ending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kAttach = "yonder exec gpu1 --attach r-abcdefghijklmnop";

ops::ExecResponse response(RunState state, std::optional<int> code = std::nullopt) {
  ops::ExecResponse response;
  response.sandbox = "gpu1";
  response.run_id = RunId("r-abcdefghijklmnop");
  response.status.state = state;
  response.status.exit_code = code;
  return response;
}

TEST(ExecEnding, GivesTheCommandsOwnStatus) {
  struct Case {
    RunState state;
    int code;
  };
  for (const auto& c : {Case{RunState::Exited, 0}, Case{RunState::Exited, 7},
                        Case{RunState::Exited, 255}, Case{RunState::Signaled, 137}}) {
    const Ending ending = ending_of(response(c.state, c.code), {});
    EXPECT_EQ(ending.status, c.code);
    EXPECT_THAT(ending.failures, IsEmpty());
    EXPECT_THAT(ending.notes, IsEmpty());
  }
}

TEST(ExecEnding, NotesTheTimeLimitAndWhatIsLeftRunning) {
  auto timed_out = response(RunState::TimedOut, 124);
  timed_out.status.left_running = {{4711, "sleep 1000"}, {4712, "make"}};
  const Ending ending = ending_of(timed_out, {});
  EXPECT_EQ(ending.status, 124);
  EXPECT_THAT(ending.failures, IsEmpty());
  EXPECT_THAT(ending.notes,
              ElementsAre("stopped at its time limit",
                          "still running after the command: 4711 sleep 1000, 4712 make"));
}

TEST(ExecEnding, TellsOfOutputThatAFullDiskMayHaveLost) {
  auto full = response(RunState::Exited, 3);
  full.status.disk_full = true;
  const Ending ending = ending_of(full, {});
  EXPECT_EQ(ending.status, 3);
  EXPECT_THAT(ending.failures, ElementsAre(HasSubstr("output may be missing")));
}

TEST(ExecEnding, SaysHowToComeBackWhenTheWaitIsOver) {
  const Ending ending = ending_of(response(RunState::Running), {});
  EXPECT_EQ(ending.status, 75);
  EXPECT_THAT(ending.failures, ElementsAre(HasSubstr(kAttach)));
}

TEST(ExecEnding, NeverCallsTheUnknownAnEnd) {
  auto unseen = response(RunState::Unknown);
  unseen.connection_error = true;
  unseen.warnings = {"no route to host", "ask again with run_id r-abcdefghijklmnop"};
  const Ending ending = ending_of(unseen, {});
  EXPECT_EQ(ending.status, 255);
  EXPECT_THAT(ending.failures, ElementsAre(HasSubstr(kAttach)));
  EXPECT_THAT(ending.notes, ElementsAre("no route to host"));
}

TEST(ExecEnding, ShowsTheProofOfALostRun) {
  auto lost = response(RunState::Lost);
  lost.status.proof = "the machine has booted since";
  const Ending ending = ending_of(lost, {});
  EXPECT_EQ(ending.status, 255);
  EXPECT_THAT(ending.failures, ElementsAre(HasSubstr("the machine has booted since")));
}

TEST(ExecEnding, SaysThatAnInterruptedCommandHasStopped) {
  const Ending ending = ending_of(response(RunState::Stopped, 143), {.signal = SIGINT});
  EXPECT_EQ(ending.status, 130);
  EXPECT_THAT(ending.failures, IsEmpty());
  EXPECT_THAT(ending.notes, ElementsAre("stopped"));
  EXPECT_EQ(ending_of(response(RunState::Stopped), {.signal = SIGTERM}).status, 143);
}

TEST(ExecEnding, NamesWhatSurvivedTheStop) {
  auto stopped = response(RunState::Stopped, 143);
  stopped.status.left_running = {{9, "stuck"}};
  const Ending ending = ending_of(stopped, {.signal = SIGINT});
  EXPECT_EQ(ending.status, 130);
  EXPECT_THAT(ending.failures, ElementsAre("stopped, but still running: 9 stuck"));
}

TEST(ExecEnding, DoesNotClaimAStopThatNobodySaw) {
  auto unseen = response(RunState::Unknown);
  unseen.connection_error = true;
  EXPECT_EQ(ending_of(unseen, {.signal = SIGINT}).status, 255);
}

TEST(ExecEnding, KeepsTheOwnStatusOfACommandThatEndedBeforeTheStop) {
  EXPECT_EQ(ending_of(response(RunState::Exited, 3), {.signal = SIGINT}).status, 3);
}

TEST(ExecEnding, SaysHowToComeBackToWhatWasLeftRunning) {
  auto detached = response(RunState::Unknown);
  detached.detached = true;
  detached.connection_error = true;
  const Ending ending = ending_of(detached, {.signal = SIGINT});
  EXPECT_EQ(ending.status, 130);
  EXPECT_THAT(ending.failures, ElementsAre(HasSubstr(kAttach)));
}

TEST(ExecEnding, DoesNotClaimThatWhatWasBeingStoppedIsRunning) {
  auto detached = response(RunState::Unknown);
  detached.detached = true;
  const Ending ending = ending_of(detached, {.signal = SIGINT, .stopping = true});
  EXPECT_EQ(ending.status, 130);
  EXPECT_THAT(ending.failures,
              ElementsAre(::testing::AllOf(HasSubstr("may go on"), HasSubstr(kAttach))));
}

TEST(ExecEnding, ExplainsOutputThatCouldNotBeWritten) {
  auto detached = response(RunState::Running);
  detached.detached = true;
  const Ending ending = ending_of(detached, {.write_error = "No space left on device"});
  EXPECT_EQ(ending.status, 74);
  EXPECT_THAT(ending.failures, ElementsAre(::testing::AllOf(HasSubstr("No space left on device"),
                                                            HasSubstr(kAttach))));
}

TEST(ExecEnding, IsNoSuccessWhenTheOutputOfAnEndedCommandCouldNotBeWritten) {
  const Ending ending =
      ending_of(response(RunState::Exited, 0), {.write_error = "No space left on device"});
  EXPECT_EQ(ending.status, 74);
  EXPECT_THAT(ending.failures,
              ElementsAre(::testing::AllOf(HasSubstr("No space left on device"),
                                           HasSubstr("exited with 0"), HasSubstr(kAttach))));
}

TEST(ExecEnding, EndsLikeABrokenPipeWithoutAWord) {
  const Ending ending = ending_of(response(RunState::Stopped, 143), {.reader_gone = true});
  EXPECT_EQ(ending.status, 141);
  EXPECT_THAT(ending.failures, IsEmpty());
  EXPECT_THAT(ending.notes, IsEmpty());
}

TEST(ExecEnding, TellsOfAStopThatSomebodyElseMade) {
  const Ending ending = ending_of(response(RunState::Stopped, 143), {});
  EXPECT_EQ(ending.status, 143);
  EXPECT_THAT(ending.notes, ElementsAre("the command was stopped by somebody else"));
}

TEST(ExecEnding, MapsErrorsToOurOwnStatus) {
  EXPECT_EQ(status_of(Error{Errc::Unreachable, "", ""}, {}), 255);
  EXPECT_EQ(status_of(Error{Errc::Cancelled, "", ""}, {.signal = SIGINT}), 130);
  EXPECT_EQ(status_of(Error{Errc::Cancelled, "", ""}, {.signal = SIGHUP}), 129);
}

}  // namespace
}  // namespace yonder::cli
