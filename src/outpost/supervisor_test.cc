#include "outpost/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>

#include "base/text.h"
#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Supervise : public RunTest {
 protected:
  static void ask_to_stop(const RunRecord& record, int grace_ms) {
    wait_until_alive(record);
    const auto alive = record.read_alive();
    ASSERT_TRUE(alive && *alive);
    sigval value{};
    value.sival_int = grace_ms;
    ASSERT_EQ(::sigqueue(static_cast<pid_t>((*alive)->supervisor.pid), kStopSignal, value), 0);
  }
  // Runs it into its time limit, again with a longer one where the limit came before the command
  // had made the file that shows it at work.
  wire::ExitRecord run_into_limit(wire::StartRequest wanted, const std::string& at_work) const {
    for (std::int64_t limit = 100; limit < to_milliseconds(testing::kPatience); limit *= 2) {
      wanted.run_id = new_run_id().str();
      wanted.timeout_ms = limit;
      const auto exit = wait_for_end(start(wanted));
      EXPECT_EQ(exit.cause, wire::Cause::Timeout);
      if (path_exists(scratch_ / at_work)) return exit;
    }
    ADD_FAILURE() << "it never got to work";
    return {};
  }
  // So that a process has all the time it needs to end when it is asked to.
  static constexpr int kLongGrace = 3600 * 1000;
};

TEST_F(Supervise, RecordsTheExitCodeAndBothOutputs) {
  const auto record = start("echo out; echo err >&2; exit 7");
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.cause, wire::Cause::Exited);
  EXPECT_EQ(exit.code, 7);
  EXPECT_EQ(exit.signal, std::nullopt);
  EXPECT_THAT(exit.left_running, IsEmpty());
  EXPECT_EQ(text_of(record, "out"), "out\n");
  EXPECT_EQ(text_of(record, "err"), "err\n");
}

TEST_F(Supervise, RecordsTheEndWhileTheHomeIsAwayFromItsPlace) {
  auto wanted = request("touch begun; while [ ! -e go ]; do sleep 0.01; done; exit 7");
  wanted.background = true;
  const auto record = start(wanted);
  wait_for_file("begun");
  ASSERT_EQ(std::rename((scratch_ / "state").c_str(), (scratch_ / "away").c_str()), 0);
  scratch_.write("go", "");
  const RunRecord away(concat(scratch_.path(), "/away/runs/", record.id()));
  EXPECT_EQ(wait_for_end(away).code, 7);
  EXPECT_THAT(text_of(away, "log"), HasSubstr("EXIT_CODE=7\n"));
  ASSERT_EQ(std::rename((scratch_ / "away").c_str(), (scratch_ / "state").c_str()), 0);
}

TEST_F(Supervise, RecordsTheSignalThatEndedTheCommand) {
  const auto exit = wait_for_end(start("kill -SEGV $$"));
  EXPECT_EQ(exit.cause, wire::Cause::Signal);
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.code, std::nullopt);
}

TEST_F(Supervise, LeavesItselfAndTheCommandInTheAliveRecord) {
  const auto record = start("echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done");
  const pid_t shell = pid_from("pid");
  const auto alive = record.read_alive();
  ASSERT_TRUE(alive && *alive);
  EXPECT_EQ((*alive)->boot_id, read_boot_id());
  EXPECT_EQ((*alive)->command.pid, shell);
  EXPECT_TRUE(record.locked());
}

TEST_F(Supervise, RunsTheCommandInASessionOfItsOwn) {
  const auto record = start("cut -d' ' -f1,6 /proc/$$/stat");
  wait_for_end(record);
  const auto ids = split(trim(text_of(record, "out")), ' ');
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_EQ(ids[0], ids[1]);
}

TEST_F(Supervise, GivesTheCommandNoSignalSettingsAndNoDescriptorsOfOurs) {
  const Fd inherited(::open("/dev/null", O_RDONLY));  // without close-on-exec
  auto wanted = request("");
  wanted.argv = {"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"};
  const auto signals = start(wanted);
  wait_for_end(signals);
  EXPECT_EQ(text_of(signals, "out"), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  wanted = request("");
  wanted.argv = {"ls", "/proc/self/fd"};
  const auto descriptors = start(wanted);
  wait_for_end(descriptors);
  EXPECT_EQ(text_of(descriptors, "out"), "0\n1\n2\n3\n") << "3 is the directory that ls reads";
}

TEST_F(Supervise, GivesTheCommandItsEnvironmentAndDirectory) {
  auto wanted = request("pwd; echo \"$A|$YONDER_RUN_ID\"");
  wanted.env = {{"A", "x y"}};
  const auto record = start(wanted);
  wait_for_end(record);
  EXPECT_EQ(text_of(record, "out"), concat(scratch_.path(), "\nx y|", record.id(), "\n"));
}

TEST_F(Supervise, RunsAnArgumentListWithoutAShell) {
  auto wanted = request("");
  wanted.argv = {"printf", "%s|", "a b", "$HOME", ""};
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "a b|$HOME||");
}

TEST_F(Supervise, SaysWhyAProgramCannotBeStarted) {
  auto wanted = request("");
  wanted.argv = {"no-such-program-anywhere"};
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).code, 127);
  EXPECT_THAT(text_of(record, "err"), HasSubstr("cannot start 'no-such-program-anywhere'"));
}

TEST_F(Supervise, RunsACommandThatIsTooLongForOneArgument) {
  auto wanted = request("echo begin; : " + std::string(200000, 'x') + "; echo end");
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "begin\nend\n");
}

TEST_F(Supervise, EndsACommandAtItsTimeLimit) {
  auto wanted = request("exec sleep 1000");
  wanted.timeout_ms = 50;
  wanted.grace_ms = kLongGrace;
  const auto exit = wait_for_end(start(wanted));
  EXPECT_EQ(exit.cause, wire::Cause::Timeout);
  EXPECT_EQ(exit.signal, SIGTERM);
}

TEST_F(Supervise, KillsAfterTheGraceWhatIgnoresTheTimeLimit) {
  auto wanted = request("trap '' TERM; echo $$ > new; mv new pid; while :; do sleep 1000; done");
  wanted.grace_ms = 100;
  const auto exit = run_into_limit(wanted, "pid");
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_TRUE(process_gone(pid_from("pid")));
}

TEST_F(Supervise, KeepsTheTimeLimitAsTheCauseWhenTheCommandThenExitsByItself) {
  auto wanted = request("trap 'exit 3' TERM; : > ready; while :; do sleep 0.01; done");
  wanted.grace_ms = kLongGrace;
  EXPECT_EQ(run_into_limit(wanted, "ready").code, 3);
}

TEST_F(Supervise, EndsWhatEscapedIntoASessionOfItsOwn) {
  auto wanted = request("setsid sh -c 'echo $$ > new; mv new escaped; exec sleep 1000' & wait");
  run_into_limit(wanted, "escaped");
  EXPECT_TRUE(process_gone(pid_from("escaped")));
}

TEST_F(Supervise, EndsADaemonThatForkedTwiceAndDroppedItsEnvironment) {
  const auto record = start(
      "(setsid env -i sh -c 'echo $$ > daemon; exec sleep 1000' &) ; : > started; sleep 1000");
  const pid_t daemon = pid_from("daemon");
  ask_to_stop(record, 200);
  EXPECT_EQ(wait_for_end(record).cause, wire::Cause::Stop);
  EXPECT_TRUE(process_gone(daemon));
}

TEST_F(Supervise, NamesWhatTheCommandLeftRunningAndStaysForIt) {
  const auto record =
      start("sleep 1000 & echo $! > pid; until grep -q '^Name:.sleep' /proc/$!/status; do :; done");
  const pid_t left = pid_from("pid");
  const auto exit = wait_for_end(record);
  ASSERT_EQ(exit.left_running.size(), 1U);
  EXPECT_EQ(exit.left_running[0].pid, left);
  EXPECT_EQ(exit.left_running[0].command, "sleep 1000");
  EXPECT_TRUE(record.locked());
  ask_to_stop(record, 200);
  EXPECT_TRUE(testing::eventually([&] { return !record.locked(); }));
  EXPECT_TRUE(process_gone(left));
  const auto again = record.read_exit();
  ASSERT_TRUE(again && *again);
  EXPECT_EQ((*again)->cause, wire::Cause::Exited) << "the first cause wins";
}

TEST_F(Supervise, RecordsAStopAsTheCause) {
  const auto record = start(": > ready; exec sleep 1000");
  wait_for_file("ready");
  ask_to_stop(record, kLongGrace);
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.cause, wire::Cause::Stop);
  EXPECT_EQ(exit.signal, SIGTERM);
}

TEST_F(Supervise, WakesAStoppedProcessSoThatItHearsTheEnd) {
  const auto record = start("echo $$ > pid; kill -STOP $$; sleep 1000");
  const pid_t pid = pid_from("pid");
  ASSERT_TRUE(testing::eventually([&] {
    const auto process = look_at(pid);
    return process && process->state == 'T';
  }));
  ask_to_stop(record, kLongGrace);
  EXPECT_EQ(wait_for_end(record).signal, SIGTERM);
}

TEST_F(Supervise, IsNotEndedByATermOfItsOwn) {
  const auto record = start(": > ready; while [ ! -e go ]; do sleep 0.01; done; exit 5");
  wait_for_file("ready");
  const auto alive = record.read_alive();
  ASSERT_TRUE(alive && *alive);
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) {
    ::kill(static_cast<pid_t>((*alive)->supervisor.pid), number);
  }
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record).code, 5);
}

TEST_F(Supervise, ReleasesTheLockAfterTheEnd) {
  const auto record = start("true");
  wait_for_end(record);
  EXPECT_TRUE(testing::eventually([&] { return !record.locked(); }));
}

TEST_F(Supervise, RunsThroughALoginShellWhoseNoiseStaysOutOfTheOutput) {
  scratch_.write("home/.profile",
                 "echo noise; echo more >&2; LOGIN_VALUE=fromprofile; export LOGIN_VALUE\n");
  ::setenv("HOME", around_.home.c_str(), 1);
  ::setenv("SHELL", "/bin/sh", 1);
  auto wanted = request("echo \"$LOGIN_VALUE\"");
  wanted.login = true;
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "fromprofile\n");
  EXPECT_EQ(text_of(record, "err"), "");
  EXPECT_THAT(text_of(record, "login"), HasSubstr("noise"));
}

TEST_F(Supervise, SaysWhatALoginShellSaidThatEndedTooEarly) {
  scratch_.write("home/.profile", "echo no entry; exit 0\n");
  ::setenv("HOME", around_.home.c_str(), 1);
  ::setenv("SHELL", "/bin/sh", 1);
  auto wanted = request("echo never");
  wanted.login = true;
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).code, 127);
  EXPECT_EQ(text_of(record, "out"), "");
  EXPECT_THAT(text_of(record, "err"), HasSubstr("no entry"));
}

}  // namespace
}  // namespace yonder::outpost
