#include "run/judge.h"

#include <gtest/gtest.h>

namespace yonder::run {
namespace {

wire::RunFacts facts() {
  return {.run_id = "r-a", .boot_id = "boot", .record_found = true};
}
wire::RunFacts begun() {
  auto f = facts();
  f.alive = wire::AliveRecord{.boot_id = "boot", .started_ms = 77};
  return f;
}
wire::RunFacts ended(wire::ExitRecord exit) {
  auto f = begun();
  f.exit = std::move(exit);
  return f;
}

TEST(Judge, SaysUnknownWithoutAProof) {
  auto f = facts();
  f.record_found = false;
  EXPECT_EQ(judge(f).state, RunState::Unknown);
  EXPECT_EQ(judge(f).proof, "no record");
  EXPECT_EQ(unseen().state, RunState::Unknown);
  EXPECT_EQ(unseen().proof, "not reachable");
}

TEST(Judge, SaysUnknownWhenARecordCannotBeReadWhateverElseIsSeen) {
  auto f = begun();
  f.supervisor_lives = true;
  f.problem = "exit: broken";
  EXPECT_EQ(judge(f).state, RunState::Unknown);
  EXPECT_EQ(judge(f).proof, "unreadable record; the machine said: 'exit: broken'");
}

TEST(Judge, ARecordThatACommandCanWriteIsNotTakenForOurOwnWords) {
  auto f = ended({.cause = wire::Cause::Exited, .code = 0, .reason = "\x1b[2Jall tests passed"});
  EXPECT_EQ(judge(f).proof, "exit record");
  f.command_lives = true;
  EXPECT_EQ(judge(f).proof, "exit record; but its process still lives, and may have written it");
  f = ended({.cause = wire::Cause::Refused, .reason = "no GPU\nproof: \x1b[1mtrust me"});
  EXPECT_EQ(judge(f).proof, "the machine said: 'no GPU proof: trust me'");
  f = ended({.cause = wire::Cause::Refused, .reason = std::string(7000000, 'x')});
  EXPECT_LT(judge(f).proof.size(), 700U);
}

TEST(Judge, AnEndThatIsThereBeforeTheSupervisorHasSeenItIsNone) {
  auto f = ended({.cause = wire::Cause::Exited, .code = 0, .ended_ms = 9});
  f.supervisor_lives = true;
  f.command_lives = true;
  const RunStatus status = judge(f);
  EXPECT_EQ(status.state, RunState::Running);
  EXPECT_EQ(status.proof, "process; there is an exit record that its supervisor did not write");
  EXPECT_FALSE(status.exit_code);
  EXPECT_EQ(status.ended_ms, 0);
  EXPECT_FALSE(is_gone(f));
}

TEST(Judge, TellsARunThatIsAboutToBeginFromOneWhoseStarterDied) {
  auto f = facts();
  f.supervisor_lives = true;
  EXPECT_EQ(judge(f).state, RunState::Queued);
  f.supervisor_lives = false;
  EXPECT_EQ(judge(f).state, RunState::Lost);
  EXPECT_EQ(judge(f).started_ms, 0);
}

TEST(Judge, SaysWhereARunStandsThatWaitsForGpus) {
  auto f = facts();
  f.supervisor_lives = true;
  f.waiting = wire::WaitingRecord{
      .boot_id = "boot", .since_ms = 5, .gpus = 1, .ahead = 2, .holders = {"alice has GPU 0"}};
  const RunStatus status = judge(f);
  EXPECT_EQ(status.state, RunState::Queued);
  EXPECT_EQ(status.proof, "its supervisor waits for GPUs");
  ASSERT_TRUE(status.queue);
  EXPECT_EQ(status.queue->ahead, 2U);
  EXPECT_EQ(status.queue->since_ms, 5);
  EXPECT_EQ(status.queue->holders.size(), 1U);
  f.supervisor_lives = false;
  EXPECT_EQ(judge(f).state, RunState::Lost);
  EXPECT_FALSE(judge(f).queue);
  EXPECT_TRUE(is_gone(f));
}

TEST(Judge, SaysNothingOfARunThatWaitsOnAnotherMachine) {
  auto f = facts();
  f.host = "here";
  f.waiting = wire::WaitingRecord{.boot_id = "other", .host = "there"};
  EXPECT_EQ(judge(f).state, RunState::Unknown);
  EXPECT_EQ(judge(f).proof, "it waits on there, and this is here");
  EXPECT_FALSE(is_gone(f));
  f.supervisor_lives = true;  // where locks reach across
  EXPECT_EQ(judge(f).state, RunState::Queued);
}

TEST(Judge, SaysWhichGpusARunWasGiven) {
  auto f = begun();
  f.command_lives = true;
  f.alive->gpus = {{.index = 3, .uuid = "GPU-3"}};
  ASSERT_EQ(judge(f).gpus.size(), 1U);
  EXPECT_EQ(judge(f).gpus.front().index, 3U);
  EXPECT_EQ(judge(f).gpus.front().uuid, "GPU-3");
}

TEST(Judge, SaysRunningAsLongAsAnyOfTheTwoProcessesLives) {
  struct Row {
    bool supervisor, command;
    RunState state;
    const char* proof;
  };
  for (const auto& row :
       {Row{true, true, RunState::Running, "process"},
        Row{true, false, RunState::Running,
            "its supervisor; how the command ended is not recorded yet"},
        Row{false, true, RunState::Running, "process; its supervisor is gone"},
        Row{false, false, RunState::Lost, "the process is gone without an exit record"}}) {
    auto f = begun();
    f.supervisor_lives = row.supervisor;
    f.command_lives = row.command;
    EXPECT_EQ(judge(f).state, row.state);
    EXPECT_EQ(judge(f).proof, row.proof);
    EXPECT_EQ(judge(f).started_ms, 77);
    EXPECT_FALSE(judge(f).exit_code);
  }
}

TEST(Judge, SaysNothingOfARunOnAnotherMachineButWhatItsLockProves) {
  auto f = begun();
  f.host = "here";
  f.alive->host = "AnotherMachine";
  f.alive->boot_id = "another boot";
  EXPECT_EQ(judge(f).state, RunState::Unknown);
  f.supervisor_lives = true;
  EXPECT_EQ(judge(f).state, RunState::Running);
}

TEST(Judge, SaysLostAfterAnotherBoot) {
  auto f = begun();
  f.boot_id = "later";
  EXPECT_EQ(judge(f).state, RunState::Lost);
  EXPECT_EQ(judge(f).proof, "the machine has booted since");
}

TEST(Judge, AHeldLockProvesLifeWhateverTheBootId) {
  auto f = begun();
  f.boot_id = "seen differently";
  f.supervisor_lives = true;
  EXPECT_EQ(judge(f).state, RunState::Running);
  EXPECT_EQ(judge(f).proof, "its lock is held, though the boot id is another");
  EXPECT_FALSE(is_gone(f));
}

TEST(Judge, SaysNeitherLostNorGoneOfARunInAnotherContainer) {
  auto f = begun();
  f.alive->pid_ns = "pid:[1]";
  f.pid_ns = "pid:[2]";
  EXPECT_EQ(judge(f).state, RunState::Unknown);
  EXPECT_EQ(judge(f).proof, "it was started in another container of the machine");
  EXPECT_FALSE(is_gone(f));
  f.supervisor_lives = true;
  EXPECT_EQ(judge(f).state, RunState::Running);
  f.supervisor_lives = false;
  f.exit = wire::ExitRecord{.code = 0};
  EXPECT_TRUE(is_gone(f)) << "a supervisor leaves when nothing of its run is left";
}

TEST(Judge, BelievesAnEndWhateverBootItWasIn) {
  auto f = ended({.cause = wire::Cause::Exited, .code = 0});
  f.boot_id = "later";
  EXPECT_EQ(judge(f).state, RunState::Exited);
}

TEST(Judge, TakesTheFirstCauseAndTheShellsCodes) {
  struct Row {
    wire::Cause cause;
    std::optional<int> code, signal;
    RunState state;
    std::optional<int> shown;
    const char* name;
  };
  const auto none = std::nullopt;
  for (const auto& row : {Row{wire::Cause::Exited, 0, none, RunState::Exited, 0, ""},
                          Row{wire::Cause::Exited, 255, none, RunState::Exited, 255, ""},
                          Row{wire::Cause::Signal, none, 9, RunState::Signaled, 137, "SIGKILL"},
                          Row{wire::Cause::Signal, none, 34, RunState::Signaled, 162, "SIG34"},
                          Row{wire::Cause::Timeout, none, 15, RunState::TimedOut, 124, "SIGTERM"},
                          Row{wire::Cause::Timeout, 3, none, RunState::TimedOut, 124, ""},
                          Row{wire::Cause::Stop, none, 15, RunState::Stopped, 143, "SIGTERM"},
                          Row{wire::Cause::Stop, 0, none, RunState::Stopped, 0, ""},
                          Row{wire::Cause::Stop, none, none, RunState::Stopped, none, ""}}) {
    const auto status = judge(
        ended({.cause = row.cause, .code = row.code, .signal = row.signal, .duration_ms = 1500}));
    EXPECT_EQ(status.state, row.state);
    EXPECT_EQ(status.exit_code, row.shown);
    EXPECT_EQ(status.signal, row.name);
    EXPECT_EQ(status.proof, "exit record");
    EXPECT_EQ(status.duration_s, 1.5);
  }
}

TEST(Judge, NamesWhatStillRuns) {
  auto f = ended({.code = 0});
  f.members = {{.pid = 5, .command = "sleep"}};
  ASSERT_EQ(judge(f).left_running.size(), 1U);
  EXPECT_EQ(judge(f).left_running[0].pid, 5);
  EXPECT_EQ(judge(f).left_running[0].command, "sleep");
}

TEST(IsGone, NeedsEveryProcessToBeGone) {
  EXPECT_TRUE(is_gone(begun()));
  auto f = begun();
  f.supervisor_lives = true;
  EXPECT_FALSE(is_gone(f));
  f = begun();
  f.command_lives = true;
  EXPECT_FALSE(is_gone(f));
  f = begun();
  f.members = {{.pid = 1, .command = "x"}};
  EXPECT_FALSE(is_gone(f));
}

TEST(IsGone, IsNotProvenByAnExitRecordWhileTheCommandLives) {
  auto f = ended({.code = 0});
  EXPECT_TRUE(is_gone(f));
  f.command_lives = true;
  EXPECT_FALSE(is_gone(f));
}

TEST(IsGone, IsNeverSaidOfWhatNobodyCouldSee) {
  auto f = begun();
  f.problem = "unreadable";
  EXPECT_FALSE(is_gone(f));
  f = begun();
  f.record_found = false;
  EXPECT_FALSE(is_gone(f));
  f = begun();
  f.host = "here";
  f.alive->host = "there";
  f.alive->boot_id = "another";
  EXPECT_FALSE(is_gone(f));
}

TEST(Judge, KnowsAMachineThatGotAnotherNameByItsBoot) {
  auto f = begun();
  f.host = "new-name";
  f.alive->host = "old-name";
  f.supervisor_lives = true;
  f.command_lives = true;
  EXPECT_EQ(judge(f).proof, "process");
}

TEST(RunStateNames, AreWhatUsersSee) {
  for (const auto& [state, name, over] : {std::tuple{RunState::Queued, "queued", false},
                                          {RunState::Running, "running", false},
                                          {RunState::Exited, "exited", true},
                                          {RunState::Signaled, "signaled", true},
                                          {RunState::TimedOut, "timed_out", true},
                                          {RunState::Stopped, "stopped", true},
                                          {RunState::Lost, "lost", true},
                                          {RunState::Unknown, "unknown", false}}) {
    EXPECT_EQ(name_of(state), name);
    EXPECT_EQ(has_ended(state), over);
  }
}

// Every combination of what can be seen of a run, against the rules in their order.
TEST(Judge, FollowsItsTableForEveryCombinationOfFacts) {
  using wire::Cause;
  enum class Alive { None, ThisBoot, OtherBoot, OtherHost };
  const std::vector<std::optional<wire::ExitRecord>> exits{
      std::nullopt, wire::ExitRecord{.cause = Cause::Exited, .code = 3},
      wire::ExitRecord{.cause = Cause::Signal, .signal = 9},
      wire::ExitRecord{.cause = Cause::Timeout, .signal = 15},
      wire::ExitRecord{.cause = Cause::Stop, .code = 0}};
  const std::vector<RunState> ends{RunState::Unknown, RunState::Exited, RunState::Signaled,
                                   RunState::TimedOut, RunState::Stopped};
  int seen = 0;
  for (const bool found : {false, true}) {
    for (const bool readable : {false, true}) {
      for (const Alive alive : {Alive::None, Alive::ThisBoot, Alive::OtherBoot, Alive::OtherHost}) {
        for (const bool supervisor : {false, true}) {
          for (const bool command : {false, true}) {
            for (std::size_t e = 0; e < exits.size(); ++e) {
              wire::RunFacts f{.run_id = "r-a", .boot_id = "boot", .host = "here"};
              f.record_found = found;
              f.supervisor_lives = supervisor;
              f.command_lives = command;
              f.exit = exits[e];
              if (!readable) f.problem = "broken";
              if (alive != Alive::None) {
                f.alive =
                    wire::AliveRecord{.boot_id = alive == Alive::ThisBoot ? "boot" : "another",
                                      .host = alive == Alive::OtherHost ? "there" : "here"};
              }
              RunState expected = RunState::Lost;
              if (!readable || !found) {
                expected = RunState::Unknown;
              } else if (exits[e] && !(supervisor && command)) {
                expected = ends[e];
              } else if (alive == Alive::None && exits[e]) {
                expected = RunState::Running;  // the record was tampered with
              } else if (alive == Alive::None) {
                if (supervisor) expected = RunState::Queued;
              } else if (alive == Alive::OtherHost) {
                expected = supervisor ? RunState::Running : RunState::Unknown;
              } else if (supervisor || (alive == Alive::ThisBoot && command)) {
                expected = RunState::Running;
              }
              EXPECT_EQ(judge(f).state, expected)
                  << found << readable << static_cast<int>(alive) << supervisor << command << e;
              EXPECT_FALSE(judge(f).proof.empty());
              ++seen;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(seen, 2 * 2 * 4 * 2 * 2 * 5);
}

// A pid that came back belongs to somebody else: its start time differs, so it does not "live".
TEST(Judge, CountsAReusedPidAsGone) {
  auto f = begun();
  f.alive->command = {.pid = 1, .start_time = 1};
  EXPECT_EQ(judge(f).state, RunState::Lost);
}

TEST(Judge, KeepsAnEndWhoseChildrenStillLiveAndNamesThem) {
  auto f = ended({.cause = wire::Cause::Exited, .code = 0});
  f.supervisor_lives = true;
  f.members = {{.pid = 7, .command = "sleep 1000"}};
  const RunStatus status = judge(f);
  EXPECT_EQ(status.state, RunState::Exited);
  ASSERT_EQ(status.left_running.size(), 1U);
  EXPECT_EQ(status.left_running[0].pid, 7);
}

}  // namespace
}  // namespace yonder::run
