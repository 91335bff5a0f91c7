#include "outpost/remove_run.h"

#include <gmock/gmock.h>

#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;
using ::testing::Not;

class Collect : public RunTest {
 protected:
  Collect() { program_ = scratch_.write("bin/outpost-current", "x", 0700); }

  RunRecord record(std::int64_t keep_ms = 0) const {
    RunRecord made(around_.state_dir, new_run_id());
    EXPECT_TRUE(make_directory(made.directory()));
    EXPECT_TRUE(write_file_atomically(made.path("spec"),
                                      wire::encode(wire::StartRequest{.keep_ms = keep_ms}),
                                      Durability::Process));
    return made;
  }
  RunRecord ended(std::chrono::seconds ago, std::int64_t keep_ms = 0) const {
    auto made = record(keep_ms);
    EXPECT_TRUE(made.write_exit({.code = 0}));
    testing::make_older(made.path("exit"), ago);
    return made;
  }
  // After a time that was watched.
  void collect(Retention retention = {}) const {
    last_collected(hours(1000 * 24));
    collect_leftovers(around_.state_dir, program_, retention);
  }
  static bool there(const RunRecord& record) { return path_exists(record.directory()); }

  std::string program_;
};

TEST_F(Collect, RemovesRunsThatEndedLongerAgoThanTheyWantedToBeKept) {
  const auto old = ended(hours(2));
  const auto fresh = ended(std::chrono::minutes(10));
  const auto kept = ended(hours(2), 3 * 3600 * 1000);
  const auto overdue = ended(hours(4), 3 * 3600 * 1000);
  collect();
  EXPECT_FALSE(there(old));
  EXPECT_TRUE(there(fresh));
  EXPECT_TRUE(there(kept));
  EXPECT_FALSE(there(overdue));
}

TEST_F(Collect, NeverRemovesARunThatMayBeAlive) {
  const auto locked = ended(hours(100));
  const auto lock = locked.try_lock();
  ASSERT_TRUE(lock && *lock);
  const auto without_end = record();
  ASSERT_TRUE(without_end.write_alive({.boot_id = "x"}));
  testing::make_older(without_end.directory(), hours(1000));
  collect();
  EXPECT_TRUE(there(locked));
  EXPECT_TRUE(there(without_end));
}

TEST_F(Collect, RemovesWhatWasNeverStartedAfterADay) {
  const auto old = record();
  testing::make_older(old.directory(), hours(25));
  const auto young = record();
  testing::make_older(young.directory(), hours(23));
  collect();
  EXPECT_FALSE(there(old));
  EXPECT_TRUE(there(young));
}

TEST_F(Collect, LeavesForeignFilesAlone) {
  scratch_.write("state/runs/notes/file", "mine");
  testing::make_older(scratch_ / "state/runs/notes", hours(10000));
  collect();
  EXPECT_TRUE(path_exists(scratch_ / "state/runs/notes/file"));
}

TEST_F(Collect, RemovesKeysWhoseRunIsGone) {
  const auto kept = ended(std::chrono::minutes(1));
  const std::string good = scratch_ / "state/keys/good";
  const std::string stale = scratch_ / "state/keys/stale";
  std::filesystem::create_symlink(kept.id(), good);
  std::filesystem::create_symlink(new_run_id().str(), stale);
  collect();
  EXPECT_TRUE(path_exists(good));
  EXPECT_FALSE(path_exists(stale));
}

TEST_F(Collect, RemovesSessionNamesWhoseRunIsGone) {
  const auto kept = ended(std::chrono::minutes(1));
  ASSERT_TRUE(make_directories(scratch_ / "state/sessions"));
  const std::string good = scratch_ / "state/sessions/good";
  const std::string stale = scratch_ / "state/sessions/stale";
  std::filesystem::create_symlink(kept.id(), good);
  std::filesystem::create_symlink(new_run_id().str(), stale);
  collect();
  EXPECT_TRUE(path_exists(good));
  EXPECT_FALSE(path_exists(stale));
}

TEST_F(Collect, RemovesTheOldestWhenAllTogetherTakeTooMuchRoom) {
  constexpr std::int64_t kWeek = 7LL * 24 * 3600 * 1000;
  const std::string text(100000, 'x');
  const auto oldest = ended(hours(60), kWeek);
  const auto older = ended(hours(50), kWeek);
  const auto old = ended(hours(40), kWeek);
  const auto fresh = ended(hours(2), kWeek);
  for (const auto& run : {oldest, older, old, fresh}) {
    ASSERT_TRUE(write_file_atomically(run.path("log"), text, Durability::Process));
  }
  collect({.max_bytes = 360000});
  EXPECT_FALSE(there(oldest));
  EXPECT_TRUE(there(older));
  collect({.max_bytes = 1});
  EXPECT_FALSE(there(older));
  EXPECT_FALSE(there(old));
  EXPECT_TRUE(there(fresh)) << "it ended within the last day";
}

TEST_F(Collect, DoesNotCountLogsThatLieElsewhere) {
  const auto run = ended(hours(60), 7LL * 24 * 3600 * 1000);
  std::filesystem::create_symlink(scratch_.write("train.log", std::string(1000000, 'x')),
                                  run.path("log"));
  collect({.max_bytes = 100000});
  EXPECT_TRUE(there(run));
}

TEST_F(Collect, NeverRemovesARunOfWhichAProcessLives) {
  const auto run = start("sleep 1000 >&- 2>&- & echo $! > left");
  wait_for_end(run);
  const pid_t left = pid_from("left");
  const auto alive = run.read_alive();
  ASSERT_TRUE(alive && *alive);
  ::kill(static_cast<pid_t>((*alive)->supervisor.pid), SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return !lives((*alive)->supervisor); }));
  testing::make_older(run.path("exit"), hours(1000));
  collect({.max_bytes = 1});
  EXPECT_TRUE(there(run));
  ::kill(left, SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return process_gone(left); }));
  collect();
  EXPECT_FALSE(there(run));
}

TEST_F(Collect, ForgetsTheEnvironmentOfARunWhoseSupervisorWasKilled) {
  auto wanted = request("kill -KILL $PPID; sleep 1000");
  wanted.env = {{"TOKEN", "very-secret"}};
  const auto lost = start(wanted);
  wanted = request("sleep 1000");
  wanted.env = {{"TOKEN", "in-use"}};
  const auto running = start(wanted);
  wait_until_alive(running);
  wait_until_alive(lost);
  EXPECT_TRUE(testing::eventually([&] { return !lost.locked(); }));
  collect_leftovers(around_.state_dir, "");
  EXPECT_THAT(text_of(lost, "spec"), Not(HasSubstr("very-secret")));
  EXPECT_EQ(lost.read_spec()->command, "kill -KILL $PPID; sleep 1000");
  EXPECT_THAT(text_of(running, "spec"), HasSubstr("in-use"));
}

TEST_F(Collect, NeverRemovesALostRunWhoseLogWasWrittenLately) {
  const auto lost = record();
  ASSERT_TRUE(lost.write_alive({.boot_id = "x"}));
  std::filesystem::create_symlink(scratch_.write("train.log", "fresh"), lost.path("log"));
  std::filesystem::create_symlink("log", lost.path("out"));
  for (const char* file : {"alive", "log", "out"}) {
    testing::make_older(lost.path(file), hours(40 * 24));
  }
  collect();
  EXPECT_TRUE(there(lost));
  testing::make_older(scratch_ / "train.log", hours(40 * 24));
  collect();
  EXPECT_FALSE(there(lost));
  EXPECT_TRUE(path_exists(scratch_ / "train.log"));
}

TEST_F(Collect, NeverRemovesARunWithoutAnEndOfAnotherMachine) {
  const auto elsewhere = record();
  ASSERT_TRUE(elsewhere.write_alive({.boot_id = "x", .host = "another-machine"}));
  for (const char* file : {"alive", "."}) {
    testing::make_older(elsewhere.path(file), hours(40 * 24));
  }
  ASSERT_TRUE(write_file_atomically(elsewhere.path("out"), "", Durability::Process));
  testing::make_older(elsewhere.path("out"), hours(40 * 24));
  collect();
  EXPECT_TRUE(there(elsewhere));
}

TEST_F(Collect, RemovesProgramsOfOtherVersionsThatWereNotUsedForAMonth) {
  const auto old = scratch_.write("bin/outpost-old", "x");
  const auto recent = scratch_.write("bin/outpost-recent", "x");
  const auto unfinished = scratch_.write("bin/.new-old-1", "x");
  const auto arriving = scratch_.write("bin/.new-now-2", "x");
  const auto foreign = scratch_.write("bin/other", "x");
  testing::make_older(old, hours(31 * 24));
  testing::make_older(recent, hours(20 * 24));
  testing::make_older(unfinished, hours(2));
  testing::make_older(foreign, hours(1000 * 24));
  testing::make_older(program_, hours(1000 * 24));
  collect();
  EXPECT_FALSE(path_exists(old));
  EXPECT_TRUE(path_exists(recent));
  EXPECT_FALSE(path_exists(unfinished));
  EXPECT_TRUE(path_exists(arriving));
  EXPECT_TRUE(path_exists(foreign));
  EXPECT_TRUE(path_exists(program_)) << "it has just been used";
}

TEST_F(Collect, DoesNothingTwiceWithinAnHour) {
  collect();
  const auto old = ended(hours(2));
  collect_leftovers(around_.state_dir, program_);
  EXPECT_TRUE(there(old));
  collect();
  EXPECT_FALSE(there(old));
}

TEST_F(Collect, NeverRemovesARunBecauseTheClockHasJumpedForward) {
  // It ended ten minutes ago, before the jump.
  const auto fresh = ended(hours(400 * 24) + std::chrono::minutes(10));
  const auto old = ended(hours(400 * 24) + hours(2));
  last_collected(hours(3), hours(400 * 24));
  collect_leftovers(around_.state_dir, program_);
  EXPECT_TRUE(there(fresh));
  EXPECT_FALSE(there(old));
  EXPECT_THAT(scratch_.read("state/collected"), HasSubstr("\njump "));
}

TEST_F(Collect, TakesNothingForOldBeforeItHasSeenTimePass) {
  const auto run = ended(hours(1000 * 24));
  collect_leftovers(around_.state_dir, program_);
  EXPECT_TRUE(there(run));
}

TEST_F(Collect, BelievesTheTimeThatAnOlderBuildHasLeft) {
  const auto old = ended(hours(5));
  scratch_.write("state/collected", "");
  testing::make_older(scratch_ / "state/collected", hours(4));
  collect_leftovers(around_.state_dir, program_);
  EXPECT_FALSE(there(old));
}

}  // namespace
}  // namespace yonder::outpost
