#include "base/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_test.h"

namespace yonder {
namespace {

using ::testing::HasSubstr;

SpawnOptions shell(const std::string& script) {
  return {.argv = {"sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}
Deadline soon() {
  return testing::patience();
}
Result<Captured> run(const std::string& script, std::string_view input = "") {
  ::signal(SIGPIPE, SIG_IGN);
  return run_captured(shell(script), input, 4UL * 1024 * 1024, soon());
}

TEST(Subprocess, SaysWhatCannotBeStarted) {
  const auto missing = Subprocess::spawn({.argv = {"no-such-program"}, .environment = {}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot start no-such-program: No such file or directory");
  const testing::Scratch scratch;
  const auto text = scratch.write("text", "no program", 0644);
  EXPECT_THAT(Subprocess::spawn({.argv = {text}, .environment = {}}).error().message,
              HasSubstr("Permission denied"));
  EXPECT_FALSE(Subprocess::spawn({.argv = {}, .environment = {}}));
}

TEST(Subprocess, LooksInThePathOfTheGivenEnvironment) {
  const testing::Scratch scratch;
  scratch.write("tool", "#!/bin/sh\nexit 9\n", 0755);
  auto child =
      Subprocess::spawn({.argv = {"tool"}, .environment = {"PATH=/nowhere:" + scratch.path()}});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(soon())->code, 9);
}

TEST(Subprocess, GivesExactlyTheGivenEnvironment) {
  ::setenv("LEAKED", "yes", 1);
  const auto result =
      run_captured({.argv = {"/usr/bin/env"}, .environment = {"A=1", "B=x y"}}, "", 65536, soon());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "A=1\nB=x y\n");
}

TEST(Subprocess, RunsInASessionOfItsOwnWithPlainSignals) {
  const auto result =
      run_captured({.argv = {"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"}, .environment = {}},
                   "", 65536, soon());
  ASSERT_TRUE(result);
  EXPECT_THAT(result->out, HasSubstr("SigBlk:\t0000000000000000"));
  const auto session = run("cut -d' ' -f1,6 /proc/$$/stat");
  ASSERT_TRUE(session);
  const auto space = session->out.find(' ');
  EXPECT_EQ(session->out.substr(0, space) + "\n", session->out.substr(space + 1));
}

TEST(Subprocess, TellsCodeAndSignalApart) {
  EXPECT_EQ(run("exit 5")->status.code, 5);
  const auto killed = run("kill -KILL $$");
  EXPECT_TRUE(killed->status.signaled);
  EXPECT_EQ(killed->status.code, SIGKILL);
  EXPECT_FALSE(killed->status.success());
  EXPECT_TRUE(run("true")->status.success());
}

TEST(Subprocess, SaysNothingWhenItStillRunsAtTheDeadline) {
  auto child = Subprocess::spawn(shell("read x"));
  ASSERT_TRUE(child);
  EXPECT_FALSE(child->wait(Deadline::after(std::chrono::milliseconds(5))));
  child->input().reset();
  EXPECT_TRUE(child->wait(soon()));
  EXPECT_TRUE(child->wait(Deadline::never())) << "it remembers";
}

TEST(Subprocess, IsKilledAndReapedWithItsOwner) {
  pid_t pid = 0;
  {
    auto child = Subprocess::spawn(shell("trap '' TERM; echo ready; while :; do sleep 1000; done"));
    ASSERT_TRUE(child);
    pid = child->pid();
    std::array<char, 8> buffer{};
    ASSERT_TRUE(read_some(child->output(), buffer.data(), buffer.size()));
    Subprocess moved = std::move(*child);
    EXPECT_EQ(moved.pid(), pid);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
}

TEST(Subprocess, HasAStandardInputEvenWhereOursIsClosed) {
  const pid_t tester = ::fork();
  if (tester == 0) {
    ::close(STDIN_FILENO);
    const auto result = run("cat", "through");
    ::_exit(result && result->out == "through" ? 0 : 1);
  }
  int status = -1;
  ::waitpid(tester, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(RunCaptured, MovesLargeInputAndBothOutputsAtOnce) {
  const std::string input(1000000, 'x');
  const auto result = run("tee /dev/stderr", input);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, input);
  EXPECT_EQ(result->err, input);
}

TEST(RunCaptured, DoesNotMindAProgramThatDoesNotReadItsInput) {
  const auto result = run("exec <&-; echo done", std::string(1000000, 'x'));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "done\n");
}

TEST(RunCaptured, RefusesTooMuchOutput) {
  const auto result = run_captured(shell("yes"), "", 10000, soon());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Protocol);
}

TEST(RunCaptured, EndsAProgramAtTheDeadline) {
  const auto result =
      run_captured(shell("sleep 1000"), "", 100, Deadline::after(std::chrono::milliseconds(20)));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Timeout);
}

}  // namespace
}  // namespace yonder
