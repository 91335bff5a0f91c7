#include <dirent.h>
#include <sys/stat.h>

#include <cstdio>

#include "base/text.h"
#include "outpost/record_files.h"
#include "outpost/remove_run.h"
#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& process : all_processes()) {
    if (process.parent == parent && !process.gone()) children.push_back(process.pid);
  }
  return children;
}

// Processes that were forked ahead of need.
class SpareTest : public RunTest {
 protected:
  SpareTest() {
    ::signal(SIGCHLD, SIG_IGN);  // as the outpost does
    spare_ = Spare::fork_one(around_.state_dir);
    EXPECT_TRUE(spare_);
    EXPECT_TRUE(testing::eventually([&] { return children_of(::getpid()).size() == 1; }));
    supervisor_ = children_of(::getpid()).at(0);
    EXPECT_TRUE(testing::eventually([&] { return children_of(supervisor_).size() == 1; }));
    command_ = children_of(supervisor_).at(0);
    EXPECT_EQ(ready_records().size(), 1U);  // it is made before the command process
  }
  ~SpareTest() override { ::signal(SIGCHLD, SIG_DFL); }

  std::vector<std::string> ready_records() const { return names_in(around_.state_dir + "/spares"); }

  void kill_and_wait(pid_t pid) {
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_TRUE(testing::eventually([&] { return process_gone(pid); }));
  }

  std::optional<Spare> spare_;
  pid_t supervisor_ = -1;
  pid_t command_ = -1;
};

TEST_F(SpareTest, BecomesTheSupervisorAndTheCommandOfARun) {
  auto wanted = request("echo $$; echo \"$VALUE\" >&2; pwd; exit 3");
  wanted.env = {{"VALUE", "two\nlines"}};
  const auto record = start(wanted, spare_);
  EXPECT_FALSE(spare_);
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.code, 3);
  EXPECT_EQ(text_of(record, "out"), std::to_string(command_) + "\n" + scratch_.path() + "\n");
  EXPECT_EQ(text_of(record, "err"), "two\nlines\n");
  const auto alive = record.read_alive();
  ASSERT_TRUE(alive && *alive);
  EXPECT_EQ((*alive)->supervisor.pid, supervisor_);
  EXPECT_EQ((*alive)->command.pid, command_);
}

TEST_F(SpareTest, DoesNotRunACommandAgainThatWasKilledWhileTheHomeWasAway) {
  const auto record =
      start(request("echo x >> ran; touch begun; while [ ! -e go ]; do sleep 0.01; done"), spare_);
  wait_for_file("begun");
  ASSERT_EQ(std::rename((scratch_ / "state").c_str(), (scratch_ / "away").c_str()), 0);
  kill_and_wait(command_);
  const auto exit = wait_for_end(RunRecord(concat(scratch_.path(), "/away/runs/", record.id())));
  EXPECT_EQ(exit.cause, wire::Cause::Signal);
  EXPECT_EQ(exit.signal, SIGKILL);
  ASSERT_EQ(std::rename((scratch_ / "away").c_str(), (scratch_ / "state").c_str()), 0);
  EXPECT_EQ(scratch_.read("ran"), "x\n");
}

TEST_F(SpareTest, BringsTheFilesOfTheRun) {
  const RunRecord ready(ReadyRecord::path_of(around_.state_dir, ready_records().at(0)));
  EXPECT_TRUE(ready.locked());
  const auto number_of = [](const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    EXPECT_EQ(info.st_mode & 0777U, S_ISDIR(info.st_mode) ? 0700U : 0600U) << path;
    return info.st_ino;
  };
  std::vector<ino_t> before;
  for (const char* name : {"", "spec", "out", "err", "exit.reserve", "alive.new"}) {
    before.push_back(number_of(ready.path(name)));
  }
  const auto record = start(request("echo out"), spare_);
  EXPECT_EQ(wait_for_end(record).code, 0);
  std::vector<ino_t> after;
  for (const char* name : {"", "spec", "out", "err", "exit", "alive"}) {
    after.push_back(number_of(record.path(name)));
  }
  EXPECT_EQ(after, before);
  EXPECT_TRUE(ready_records().empty());
}

TEST_F(SpareTest, GetsItsRunHoweverEarlyThatComes) {
  for (int i = 0; i < 50; ++i) {
    auto early = Spare::fork_one(around_.state_dir);
    ASSERT_TRUE(early);
    const auto record = start(request("exit 3"), early);
    EXPECT_EQ(wait_for_end(record).code, 3);
  }
}

// Whatever is wrong with the place for ready records, runs begin all the same.
class SpareWithoutPlace : public RunTest {
 protected:
  ~SpareWithoutPlace() override { ::signal(SIGCHLD, SIG_DFL); }
  // What went wrong.
  std::string run_one() {
    ::signal(SIGCHLD, SIG_IGN);
    auto spare = Spare::fork_one(around_.state_dir);
    if (!spare) return "no spare";
    const auto record = start(request("echo out"), spare);
    if (wait_for_end(record).code != 0) return "another end";
    return text_of(record, "out") == "out\n" ? "" : "another output";
  }
};

TEST_F(SpareWithoutPlace, RunsWhereAFileOrALinkHasItsName) {
  scratch_.write("state/spares", "a file");
  EXPECT_EQ(run_one(), "");
  EXPECT_EQ(scratch_.read("state/spares"), "a file");
  std::filesystem::remove(scratch_ / "state/spares");
  std::filesystem::create_symlink("/nonexistent", scratch_ / "state/spares");
  EXPECT_EQ(run_one(), "");
}

TEST_F(SpareWithoutPlace, RunsWhereTheDiskIsFullAndLeavesNothingThere) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    std::filesystem::create_directory(scratch_ / "state/spares");
    if (!testing::mount_tmpfs(scratch_ / "state/spares", "nr_inodes=4,mode=700")) return "mount";
    if (const std::string wrong = run_one(); !wrong.empty()) return wrong;
    const auto left = names_in(scratch_ / "state/spares");
    return left.empty() ? "" : left[0] + " was left";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(SpareTest, IsOfUseWithoutItsRecord) {
  remove_run(ReadyRecord::path_of(around_.state_dir, ready_records().at(0)));
  const auto record = start(request("echo out"), spare_);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "out\n");
  EXPECT_EQ((*record.read_alive())->supervisor.pid, supervisor_);
}

TEST_F(SpareTest, LeavesARunAloneThatExists) {
  const auto wanted = request("echo once >> count; exit 3");
  const auto record = start(wanted);
  EXPECT_EQ(wait_for_end(record).code, 3);
  EXPECT_EQ(start(wanted, spare_).directory(), record.directory());
  EXPECT_TRUE(spare_) << "nothing was started";
  EXPECT_EQ(wait_for_end(record).code, 3);
  EXPECT_EQ(scratch_.read("count"), "once\n");
}

TEST_F(SpareTest, TakesThePlaceOfADirectoryThatSomebodyHasJustMade) {
  const auto wanted = request("echo once >> count");
  const RunRecord record(around_.state_dir, *parse_run_id(wanted.run_id));
  ASSERT_TRUE(make_directory(record.directory()));
  EXPECT_EQ(wait_for_end(start(wanted, spare_)).code, 0);
  // Whoever made it goes on now, finds the files, and starts nothing.
  EXPECT_EQ(create_spec(record).error().code, Errc::Conflict);
  EXPECT_EQ(wait_for_end(start(wanted)).code, 0);
  EXPECT_EQ(scratch_.read("count"), "once\n");
}

TEST_F(SpareTest, WhoseCommandProcessAloneLivesLetsGoOfTheLock) {
  const RunRecord ready(ReadyRecord::path_of(around_.state_dir, ready_records().at(0)));
  kill_and_wait(supervisor_);
  EXPECT_TRUE(ready.locked()) << "by the command process";
  const auto record = start(request("echo once >> count"), spare_);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(scratch_.read("count"), "once\n");
}

TEST_F(SpareTest, ThatDiedWithItsCommandProcessLeavesTheLockToTheStarter) {
  kill_and_wait(supervisor_);
  kill_and_wait(command_);
  const auto wanted = request("echo once >> count");
  const RunRecord record(around_.state_dir, *parse_run_id(wanted.run_id));
  const auto lock = spare_->give_record(record);
  ASSERT_TRUE(lock);
  EXPECT_TRUE(record.locked()) << "nobody else may begin it meanwhile";
  EXPECT_TRUE(start(wanted).locked());
  EXPECT_FALSE(path_exists(record.path("alive")));
}

TEST_F(SpareTest, IsEndedWhenItsRecordGoesToARunThatIsStoppedBeforeItBegins) {
  const auto wanted = request("echo once >> count");
  const RunRecord ready(ReadyRecord::path_of(around_.state_dir, ready_records().at(0)));
  scratch_.write("state/spares/" + ready.id() + "/stop", "");  // it is there as soon as the run is
  const auto record = start(wanted, spare_);
  EXPECT_FALSE(spare_);
  EXPECT_EQ(wait_for_end(record).cause, wire::Cause::Stop);
  EXPECT_TRUE(testing::eventually([&] { return !record.locked(); })) << "not by a spare either";
  EXPECT_FALSE(path_exists(scratch_ / "count"));
}

TEST_F(SpareTest, IsNotForARunWithALongEnvironment) {
  auto wanted = request("printf %s \"$LONG\" | wc -c");
  wanted.env = {{"LONG", std::string(60000, 'x')}};
  const auto record = start(wanted, spare_);
  EXPECT_TRUE(spare_);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "60000\n");
}

TEST_F(SpareTest, ThatWasKilledLeavesNothingForLong) {
  const std::string ready = ReadyRecord::path_of(around_.state_dir, ready_records().at(0));
  testing::make_older(ready, std::chrono::hours(2));
  last_collected(std::chrono::hours(3));
  collect_leftovers(around_.state_dir, "");
  EXPECT_EQ(ready_records().size(), 1U) << "it is in use";
  kill_and_wait(supervisor_);
  kill_and_wait(command_);
  spare_.reset();  // the outpost too
  last_collected(std::chrono::hours(3));
  collect_leftovers(around_.state_dir, "");
  EXPECT_TRUE(ready_records().empty());
}

TEST_F(SpareTest, HoldsTheLockOfTheRunThatItGot) {
  const auto record = start(request("sleep 1000"), spare_);
  wait_until_alive(record);
  EXPECT_TRUE(record.locked());
  kill_and_wait(supervisor_);
  // The command process has a copy until it is the command.
  EXPECT_TRUE(testing::eventually([&] { return !record.locked(); }));
}

TEST_F(SpareTest, KeepsTheTimeLimit) {
  auto wanted = request("sleep 1000");
  wanted.timeout_ms = 50;
  EXPECT_EQ(wait_for_end(start(wanted, spare_)).cause, wire::Cause::Timeout);
}

TEST_F(SpareTest, StartsAnotherCommandProcessWhenItsOwnHasDied) {
  kill_and_wait(command_);
  const auto record = start(request("echo once"), spare_);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "once\n");
}

TEST_F(SpareTest, LearnsHowACommandEndedThatWasFasterThanItsSupervisor) {
  ASSERT_EQ(::kill(supervisor_, SIGSTOP), 0);
  const auto record = start(request("exit 7"), spare_);
  EXPECT_TRUE(testing::eventually([&] { return process_gone(command_); }));
  ASSERT_EQ(::kill(supervisor_, SIGCONT), 0);
  EXPECT_EQ(wait_for_end(record).code, 7);
}

TEST_F(SpareTest, RunsOfAnyLengthBeginOnce) {
  // Around the longest message that a spare takes.
  const auto record = start(request("echo here; # " + std::string(65536 - 400, 'x')), spare_);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "here\n");
  for (const std::size_t length : {65000UL, 65200UL, 65300UL, 65400UL, 65536UL}) {
    auto another = Spare::fork_one(around_.state_dir);
    const auto next = start(request("echo here; # " + std::string(length - 300, 'x')), another);
    EXPECT_EQ(wait_for_end(next).code, 0) << length;
  }
}

TEST_F(SpareTest, IsReplacedByAForkWhenItHasDied) {
  kill_and_wait(supervisor_);
  const auto record = start(request("echo once"), spare_);
  EXPECT_FALSE(spare_);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "once\n");
}

TEST_F(SpareTest, EndsWithTheOutpost) {
  spare_.reset();
  EXPECT_TRUE(testing::eventually([&] { return process_gone(supervisor_); }));
  EXPECT_TRUE(testing::eventually([&] { return process_gone(command_); }));
  EXPECT_TRUE(ready_records().empty());
}

TEST_F(SpareTest, RunsInTheBackgroundToo) {
  auto wanted = request("echo out; echo err >&2; exit 3");
  wanted.background = true;
  wanted.launcher = "session";
  const auto record = start(wanted, spare_);
  EXPECT_FALSE(spare_);
  EXPECT_EQ(wait_for_end(record).code, 3);
  EXPECT_EQ(text_of(record, "log"), "out\nerr\nEXIT_CODE=3\n");
  const auto alive = record.read_alive();
  ASSERT_TRUE(alive && *alive);
  EXPECT_EQ((*alive)->supervisor.pid, supervisor_);
  EXPECT_EQ((*alive)->launcher, "session");
  EXPECT_TRUE(ready_records().empty()) << "a log is made in another way";
}

TEST_F(SpareTest, IsNotForARunThatGetsAScope) {
  auto wanted = request("true");
  EXPECT_TRUE(Spare::suits(wanted));
  wanted.launcher = "scope";
  EXPECT_FALSE(Spare::suits(wanted));
}

TEST_F(SpareTest, IsKeptForLaterWhenARunNeedsAStreamedInput) {
  auto wanted = request("cat");
  wanted.stdin_mode = wire::StdinMode::Stream;
  const auto record = start(wanted, spare_);
  EXPECT_TRUE(spare_);
  wait_until_alive(record);
}

}  // namespace
}  // namespace yonder::outpost
