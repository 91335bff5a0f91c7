#include "outpost/background.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "outpost/background_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

class Background : public BackgroundTest {};

TEST_F(Background, WritesBothOutputsIntoOneLogThatEndsWithTheExitCode) {
  const auto record = start(in_background("echo out; echo err >&2; echo more; exit 3"));
  EXPECT_EQ(wait_for_end(record).code, 3);
  EXPECT_EQ(log_of(record), "out\nerr\nmore\nEXIT_CODE=3\n");
  EXPECT_EQ(text_of(record, "out"), log_of(record)) << "where it is followed";
  EXPECT_EQ(text_of(record, "err"), "");
}

TEST_F(Background, PutsTheExitCodeOnALineOfItsOwn) {
  const auto record = start(in_background("printf done"));
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(log_of(record), "done\nEXIT_CODE=0\n");
}

TEST_F(Background, SaysTheExitCodeOfACommandThatPrintsNothing) {
  const auto record = start(in_background("true"));
  wait_for_end(record);
  EXPECT_EQ(log_of(record), "EXIT_CODE=0\n");
}

TEST_F(Background, KeepsTheExitCodeOfASyntaxError) {
  const auto record = start(in_background("if then"));
  EXPECT_EQ(wait_for_end(record).code, 2);
  EXPECT_THAT(log_of(record), HasSubstr("syntax error"));
  EXPECT_TRUE(log_of(record).ends_with("\nEXIT_CODE=2\n"));
}

TEST_F(Background, KeepsTheExitCodeOfAProgramThatIsNotThere) {
  auto wanted = in_background("");
  wanted.argv = {"no-such-program-anywhere"};
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).code, 127);
  EXPECT_THAT(log_of(record), HasSubstr("cannot start 'no-such-program-anywhere'"));
  EXPECT_TRUE(log_of(record).ends_with("\nEXIT_CODE=127\n"));
}

TEST_F(Background, IsNotFooledByACommandThatPrintsAnExitCodeAndIsKilled) {
  const auto record = start(in_background("echo EXIT_CODE=0; kill -KILL $$"));
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.cause, wire::Cause::Signal);
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(log_of(record), "EXIT_CODE=0\nEXIT_CODE=137\n");
}

TEST_F(Background, SaysTheCodeOfTheTimeLimit) {
  auto wanted = in_background("echo begun; sleep 1000");
  wanted.timeout_ms = 50;
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).cause, wire::Cause::Timeout);
  EXPECT_TRUE(log_of(record).ends_with("EXIT_CODE=124\n"));
}

TEST_F(Background, GoesOnAfterTheCommandHasClosedItsOutput) {
  const auto record = start(in_background("echo before; exec >&- 2>&-; exit 4"));
  EXPECT_EQ(wait_for_end(record).code, 4);
  EXPECT_EQ(log_of(record), "before\nEXIT_CODE=4\n");
}

class BackgroundLogin : public BackgroundTest {
 protected:
  RunRecord start_behind(const std::string& profile, const std::string& command) {
    scratch_.write("home/.profile", profile);
    ::setenv("HOME", around_.home.c_str(), 1);
    ::setenv("SHELL", "/bin/sh", 1);
    auto wanted = in_background(command);
    wanted.login = true;
    return start(wanted);
  }
};

TEST_F(BackgroundLogin, RunsThroughALoginShellIntoTheLog) {
  const auto record =
      start_behind("echo noise; V=fromprofile; export V\n", "echo \"$V\"; echo err >&2");
  wait_for_end(record);
  EXPECT_EQ(log_of(record), "fromprofile\nerr\nEXIT_CODE=0\n");
}

TEST_F(BackgroundLogin, SaysInTheLogWhatALoginShellSaidThatEndedTooEarly) {
  const auto record = start_behind("echo no entry; exit 0\n", "echo never");
  EXPECT_EQ(wait_for_end(record).code, 127);
  EXPECT_THAT(log_of(record), HasSubstr("no entry\nEXIT_CODE=127\n"));
}

TEST_F(Background, KeepsWhatWasSettledAtTheStart) {
  auto wanted = in_background("true");
  wanted.cwd = "~";
  wanted.log_file = "logs/./a.log";
  wanted.session = " train 1 ";
  wanted.description = "what for";
  wanted.key = "k";
  const auto before = wall_clock_ms();
  const auto record = start(wanted);
  wait_for_end(record);
  const auto spec = record.read_spec();
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->cwd, around_.home);
  EXPECT_EQ(spec->log_file, around_.home + "/logs/a.log");
  EXPECT_EQ(spec->launcher, "session");
  EXPECT_GE(spec->created_ms, before);
  const auto label = facts_of(record).label;
  ASSERT_TRUE(label);
  EXPECT_TRUE(label->background);
  EXPECT_EQ(label->command, "true");
  EXPECT_EQ(label->session, "train 1");
  EXPECT_EQ(label->description, "what for");
  EXPECT_EQ(label->key, "k");
  EXPECT_EQ(label->log_file, spec->log_file);
  EXPECT_EQ(label->created_ms, spec->created_ms);
}

TEST_F(Background, HasALabelBeforeItsCommandBeginsAndForgetsItsEnvironment) {
  auto wanted = in_background("echo \"$SECRET\" > seen; " + until("go"));
  wanted.env = {{"SECRET", "s3cret"}};
  wanted.description = "d";
  const auto record = start(wanted);
  EXPECT_TRUE(facts_of(record).label);
  scratch_.write("go", "");
  wait_for_end(record);
  EXPECT_EQ(scratch_.read("seen"), "s3cret\n");
  EXPECT_TRUE(testing::eventually(
      [&] { return text_of(record, "spec").find("s3cret") == std::string::npos; }));
  ASSERT_TRUE(facts_of(record).label);
  EXPECT_EQ(facts_of(record).label->description, "d");
}

TEST_F(Background, TellsTheLabelOfAForegroundRunOnlyWhenAsked) {
  const auto record = start("echo a b");
  wait_for_end(record);
  EXPECT_FALSE(facts_of(record).label);
  const auto facts = observe(record, around_.boot_id, {.label = true});
  ASSERT_TRUE(facts.label);
  EXPECT_FALSE(facts.label->background);
  EXPECT_EQ(facts.label->command, "echo a b");
  EXPECT_EQ(facts.label->log_file, "");
}

TEST_F(Background, ShortensALongCommandBetweenCharacters) {
  std::string command = ": x";
  while (command.size() < 2000) command += "ä";
  const auto record = start(in_background(command));
  const auto label = facts_of(record).label;
  ASSERT_TRUE(label);
  EXPECT_LE(label->command.size(), 303U);
  EXPECT_TRUE(label->command.ends_with("ä..."));
}

TEST_F(Background, RefusesItsSettingsForAForegroundRun) {
  auto wanted = request("true");
  wanted.session = "s";
  EXPECT_EQ(refusal(wanted).code, Errc::InvalidArgument);
  EXPECT_EQ(records(), 0U);
}

TEST_F(Background, HasASupervisorThatIsNobodysChildAndLeadsNoSession) {
  const auto record = start(in_background("sleep 1000"));
  const auto alive = alive_of(record);
  EXPECT_EQ(alive.launcher, "session");
  EXPECT_EQ(alive.cgroup, "");
  const auto supervisor = static_cast<pid_t>(alive.supervisor.pid);
  EXPECT_NE(look_at(supervisor)->parent, ::getpid());
  EXPECT_NE(::getsid(supervisor), ::getsid(0));
  EXPECT_NE(::getsid(supervisor), supervisor);
}

TEST_F(Background, IsStillRunningWhenItsSupervisorWasKilled) {
  const auto record = start(in_background("echo begun; " + until("go") + "echo end"));
  const auto alive = alive_of(record);
  ASSERT_EQ(::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL), 0);
  ASSERT_TRUE(testing::eventually([&] { return !lives(alive.supervisor); }));
  auto facts = facts_of(record);
  EXPECT_FALSE(facts.supervisor_lives);
  EXPECT_TRUE(facts.command_lives);
  EXPECT_FALSE(facts.exit);
  scratch_.write("go", "");
  ASSERT_TRUE(testing::eventually([&] { return !lives(alive.command); }));
  facts = facts_of(record);
  EXPECT_FALSE(facts.command_lives);
  EXPECT_FALSE(facts.exit) << "nobody has seen how it ended, and nobody makes it up";
  EXPECT_EQ(log_of(record), "begun\nend\n");
}

TEST_F(Background, EndsQuietlyWhenItsRecordWasRemoved) {
  const auto record = start(in_background(until("go") + "echo end"));
  const auto alive = alive_of(record);
  std::filesystem::remove_all(record.directory());
  EXPECT_FALSE(facts_of(record).record_found);
  scratch_.write("go", "");
  EXPECT_TRUE(testing::eventually([&] { return !lives(alive.supervisor); }));
  EXPECT_FALSE(path_exists(record.directory()));
}

TEST_F(Background, EndsQuietlyWhenItsLogWasRemoved) {
  auto wanted = in_background(until("go") + "echo end");
  wanted.log_file = "a.log";
  const auto record = start(wanted);
  alive_of(record);
  std::filesystem::remove(scratch_ / "a.log");
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_FALSE(path_exists(scratch_ / "a.log")) << "it was not wanted any more";
}

TEST_F(Background, RecordsItsEndOnADiskThatIsFull) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch_ / "state/runs", "size=64k,mode=700")) return "mount";
    const auto started = start_run(around_, in_background("yes | head -c 1000000; exit 5"));
    if (!started) return started.error().message;
    if (wait_for_end(started->record).code != 5) return "no end";
    return facts_of(started->record).exit ? "" : "no exit record";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(Background, StartsNothingOnAFullDiskAndLeavesNoLog) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch_ / "state/runs", "size=8k,mode=700")) return "mount";
    auto wanted = in_background(": > never");
    wanted.log_file = "new/a.log";
    const auto started = start_run(around_, wanted);
    if (started) return "it was started";
    if (started.error().code != Errc::NoPlace) return started.error().message;
    return path_exists(scratch_ / "state/runs/" + wanted.run_id) ? "the record was left" : "";
  });
  EXPECT_EQ(problem, "");
  EXPECT_FALSE(path_exists(scratch_ / "never"));
  EXPECT_FALSE(path_exists(scratch_ / "new"));
}

TEST_F(Background, IsBegunOnceByWhoeverAsksNextWhenItsStarterDied) {
  auto wanted = in_background("echo begun");
  wanted.log_file = "a.log";
  const RunRecord record(around_.state_dir, RunId(wanted.run_id));
  ASSERT_TRUE(make_directory(record.directory()));
  ASSERT_TRUE(
      write_file_atomically(record.path("spec"), wire::encode(wanted), Durability::Process));
  ASSERT_EQ(::symlink((scratch_ / "a.log").c_str(), record.path("log").c_str()), 0);
  scratch_.write("a.log", "old\n");
  start(wanted);
  wait_for_end(record);
  EXPECT_EQ(scratch_.read("a.log"), "old\nbegun\nEXIT_CODE=0\n");
}

TEST_F(Background, NeverBeginsWhatWasStoppedBefore) {
  auto wanted = in_background(": > never");
  const RunRecord record(around_.state_dir, RunId(wanted.run_id));
  ASSERT_TRUE(make_directory(record.directory()));
  ASSERT_TRUE(
      write_file_atomically(record.path("spec"), wire::encode(wanted), Durability::Process));
  scratch_.write("state/runs/" + wanted.run_id + "/stop", "");
  std::optional<Spare> spare = Spare::fork_one();
  start(wanted, spare);
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.cause, wire::Cause::Stop);
  EXPECT_EQ(exit.code, std::nullopt);
  EXPECT_FALSE(path_exists(record.path("alive")));
  EXPECT_FALSE(path_exists(scratch_ / "never"));
}

}  // namespace
}  // namespace yonder::outpost
