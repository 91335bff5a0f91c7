#include "outpost/start.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <algorithm>

#include "base/text.h"
#include "outpost/record_files.h"
#include "outpost/run_fixture_test.h"
#include "outpost/self.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

class StartRun : public RunTest {
 protected:
  // Each start of the command leaves one more line.
  static constexpr const char* kCount = "echo started >> count";
  std::size_t starts() const {
    const std::string text = scratch_.read("count");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::size_t records() const {
    const auto runs = std::filesystem::directory_iterator(scratch_ / "state/runs");
    return static_cast<std::size_t>(std::distance(begin(runs), end(runs)));
  }
  // What a starter leaves that dies before the command's first instruction.
  RunRecord leave_unbegun(const wire::StartRequest& request) const {
    RunRecord record(around_.state_dir, RunId(request.run_id));
    EXPECT_TRUE(make_directory(record.directory()));
    EXPECT_TRUE(
        write_file_atomically(record.path("spec"), wire::encode(request), Durability::Process));
    return record;
  }
  // Starts the same from several processes at once; every one must attach to the same run.
  void start_from_many(const std::vector<wire::StartRequest>& requests) const {
    auto gate = make_pipe();
    ASSERT_TRUE(gate);
    std::vector<pid_t> starters;
    for (const auto& request : requests) {
      const pid_t child = ::fork();
      if (child == 0) {
        gate->write.reset();
        char ignored = 0;
        [[maybe_unused]] const auto n = ::read(gate->read.get(), &ignored, 1);
        ::_exit(start_run(around_, request) ? 0 : 1);
      }
      starters.push_back(child);
    }
    gate->write.reset();
    for (const pid_t starter : starters) {
      int status = -1;
      ::waitpid(starter, &status, 0);
      EXPECT_EQ(status, 0);
    }
  }
};

TEST_F(StartRun, StartsOnceHoweverOftenTheSameRunIsAskedFor) {
  const auto wanted = request(kCount);
  const auto first = start_run(around_, wanted);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->existed);
  for (int i = 0; i < 3; ++i) {
    const auto again = start_run(around_, wanted);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->existed);
    EXPECT_EQ(again->record.id(), wanted.run_id);
    wait_for_end(again->record);
  }
  EXPECT_EQ(starts(), 1U);
}

TEST_F(StartRun, AttachesByKeyToTheFirstRun) {
  auto first = request(kCount);
  first.key = "build 42/\n";
  auto second = request(kCount);
  second.key = first.key;
  const auto begun = start_run(around_, first);
  const auto attached = start_run(around_, second);
  ASSERT_TRUE(begun && attached);
  EXPECT_TRUE(attached->existed);
  EXPECT_EQ(attached->record.id(), first.run_id);
  wait_for_end(begun->record);
  EXPECT_EQ(starts(), 1U);
  EXPECT_EQ(records(), 1U);
  EXPECT_EQ(find_by_key(around_, first.key)->id(), first.run_id);
  EXPECT_FALSE(find_by_key(around_, "another"));
  EXPECT_FALSE(find_by_key(around_, ""));
}

TEST_F(StartRun, StartsOnceWhenManyAskForTheSameRunAtTheSameTime) {
  for (int round = 0; round < 20; ++round) {
    const auto wanted = request(kCount);
    start_from_many(std::vector<wire::StartRequest>(4, wanted));
    const RunRecord record(around_.state_dir, RunId(wanted.run_id));
    ASSERT_EQ(wait_for_end(record).code, 0);
    ASSERT_EQ(starts(), static_cast<std::size_t>(round + 1));
  }
}

// It was held up between making the record's file and locking it, for a whole run of another.
TEST_F(StartRun, DoesNotStartAgainWhatBeganAndEndedBeforeItsOwnLock) {
  const auto wanted = request(kCount);
  const RunRecord record(around_.state_dir, RunId(wanted.run_id));
  ASSERT_TRUE(make_directory(record.directory()));
  const auto slow = open_file(record.path("spec"), O_RDWR | O_CREAT | O_EXCL);
  ASSERT_TRUE(slow);
  ASSERT_TRUE(start_run(around_, wanted));
  ASSERT_EQ(wait_for_end(record).code, 0);
  ASSERT_TRUE(testing::eventually([&] { return !record.locked(); }));
  const auto locked = lock_new_spec(record, *slow);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, Errc::Conflict);
}

TEST_F(StartRun, StartsOnceWhenManyUseTheSameKeyAtTheSameTime) {
  for (int round = 0; round < 20; ++round) {
    std::vector<wire::StartRequest> wanted;
    for (int i = 0; i < 4; ++i) {
      wanted.push_back(request(kCount));
      wanted.back().key = concat("key ", round);
    }
    start_from_many(wanted);
    const auto record = find_by_key(around_, concat("key ", round));
    ASSERT_TRUE(record);
    ASSERT_EQ(wait_for_end(*record).code, 0);
    ASSERT_EQ(starts(), static_cast<std::size_t>(round + 1));
    ASSERT_EQ(records(), static_cast<std::size_t>(round + 1));
  }
}

TEST_F(StartRun, BeginsARunWhoseStarterDiedBeforeItsFirstInstruction) {
  const auto wanted = request(kCount);
  leave_unbegun(wanted);
  const auto started = start_run(around_, wanted);
  ASSERT_TRUE(started);
  EXPECT_EQ(wait_for_end(started->record).code, 0);
  EXPECT_EQ(starts(), 1U);
}

TEST_F(StartRun, BeginsARunWhoseStarterDiedRightAfterTheDirectoryWasMade) {
  const auto wanted = request(kCount);
  ASSERT_TRUE(make_directory(around_.state_dir + "/runs/" + wanted.run_id));
  const auto started = start_run(around_, wanted);
  ASSERT_TRUE(started);
  EXPECT_EQ(wait_for_end(started->record).code, 0);
  EXPECT_EQ(starts(), 1U);
}

TEST_F(StartRun, BeginsAKeyedRunWhoseStarterDied) {
  auto wanted = request(kCount);
  wanted.key = "k";
  leave_unbegun(wanted);
  ASSERT_EQ(::symlink(wanted.run_id.c_str(), (scratch_ / ("state/keys/" + hash_of("k"))).c_str()),
            0);
  auto again = request(kCount);
  again.key = "k";
  const auto started = start_run(around_, again);
  ASSERT_TRUE(started);
  EXPECT_EQ(started->record.id(), wanted.run_id);
  EXPECT_EQ(wait_for_end(started->record).code, 0);
  EXPECT_EQ(starts(), 1U);
}

TEST_F(StartRun, LeavesARunToWhoeverHoldsItsLock) {
  const auto wanted = request(kCount);
  const auto record = leave_unbegun(wanted);
  const auto lock = record.try_lock();
  ASSERT_TRUE(lock && *lock);
  const auto started = start_run(around_, wanted);
  ASSERT_TRUE(started);
  EXPECT_TRUE(started->existed);
  EXPECT_FALSE(path_exists(record.path("alive")));
}

TEST_F(StartRun, RefusesAWrongRequestWithoutLeavingATrace) {
  auto wanted = request("true");
  wanted.cwd = "/no/such/directory";
  const auto started = start_run(around_, wanted);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::InvalidArgument);
  EXPECT_EQ(records(), 0U);
}

TEST_F(StartRun, RefusesAnythingButARunId) {
  for (const char* id : {"", "x", "../../etc", "r-ABCDEFGHIJKLMNOP", "r-abcdefghijklmno/"}) {
    auto wanted = request("true");
    wanted.run_id = id;
    const auto started = start_run(around_, wanted);
    ASSERT_FALSE(started) << id;
    EXPECT_EQ(started.error().code, Errc::InvalidArgument);
  }
}

TEST_F(StartRun, SaysWhyThereIsNoPlaceForRecords) {
  around_.state_dir = "";
  around_.state_problem = "/a: read-only";
  const auto started = start_run(around_, request("true"));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::NoPlace);
  EXPECT_THAT(started.error().message, HasSubstr("/a: read-only"));
}

TEST_F(StartRun, StartsNothingOnAFullDisk) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch_ / "state/runs", "size=16k,mode=700")) return "mount";
    auto wanted = request(kCount);
    wanted.stdin_mode = wire::StdinMode::Whole;
    wanted.input = std::string(100000, 'x');
    const auto started = start_run(around_, wanted);
    if (started) return "it was started";
    if (started.error().code != Errc::NoPlace) return started.error().message;
    return path_exists(scratch_ / "state/runs/" + wanted.run_id) ? "the record was left" : "";
  });
  EXPECT_EQ(problem, "");
  EXPECT_EQ(starts(), 0U);
}

TEST_F(StartRun, LeavesNoDirectoryWhereNoFileCanBeMade) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    // Room for the directory of a run, and for nothing in it.
    if (!testing::mount_tmpfs(scratch_ / "state/runs", "nr_inodes=2,mode=700")) return "mount";
    const auto wanted = request(kCount);
    const auto started = start_run(around_, wanted);
    if (started) return "it was started";
    if (started.error().code != Errc::NoPlace) return started.error().message;
    return path_exists(scratch_ / "state/runs/" + wanted.run_id) ? "the directory was left" : "";
  });
  EXPECT_EQ(problem, "");
  EXPECT_EQ(starts(), 0U);
}

TEST_F(StartRun, NeverBeginsARunThatWasPrevented) {
  const auto wanted = request(kCount);
  ASSERT_TRUE(prevent_run(around_, RunId(wanted.run_id)));
  const auto started = start_run(around_, wanted);
  ASSERT_TRUE(started);
  EXPECT_TRUE(started->existed);
  const auto exit = started->record.read_exit();
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->cause, wire::Cause::Stop);
  EXPECT_FALSE(path_exists(started->record.path("alive")));
  EXPECT_EQ(starts(), 0U);
}

TEST_F(StartRun, PreventsARunThatItsStarterLeftUnbegun) {
  const auto wanted = request(kCount);
  const auto record = leave_unbegun(wanted);
  ASSERT_TRUE(prevent_run(around_, RunId(wanted.run_id)));
  EXPECT_TRUE(record.has_ended());
  ASSERT_TRUE(start_run(around_, wanted));
  EXPECT_FALSE(path_exists(record.path("alive")));
}

TEST_F(StartRun, DoesNotPreventWhatHasBegun) {
  const auto record = start("read x < /dev/null; exit 6");
  wait_until_alive(record);
  ASSERT_TRUE(prevent_run(around_, RunId(record.id())));
  EXPECT_EQ(wait_for_end(record).code, 6);
}

// Machines may share a home without sharing its locks.
TEST_F(StartRun, LeavesARunAloneThatWaitsForGpusOnAnotherMachine) {
  const auto wanted = request(kCount);
  const auto record = leave_unbegun(wanted);
  ASSERT_TRUE(record.write_waiting({.boot_id = "another", .host = "far", .gpus = 1}));
  const auto again = start_run(around_, wanted);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->existed);
  EXPECT_FALSE(record.locked()) << "nobody has begun it";
  EXPECT_TRUE(prevent_run(around_, RunId(wanted.run_id)));
  EXPECT_FALSE(record.has_ended());
  EXPECT_TRUE(record.stop_wanted()) << "for its own supervisor to see";
  EXPECT_EQ(starts(), 0U);
}

TEST_F(StartRun, BeginsARunThatWaitedHereBeforeTheMachineWasRestarted) {
  const auto wanted = request(kCount);
  const auto record = leave_unbegun(wanted);
  ASSERT_TRUE(record.write_waiting({.boot_id = "another", .host = read_hostname(), .gpus = 1}));
  ASSERT_TRUE(start_run(around_, wanted));
  wait_for_end(record);
  EXPECT_EQ(starts(), 1U);
}

}  // namespace
}  // namespace yonder::outpost
