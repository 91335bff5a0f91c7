#include "outpost/run_record.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/syscall.h>

#include <set>

#include "base/refused_calls_test.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

class RunRecordTest : public RunTest {
 protected:
  RunRecordTest() : record_(around_.state_dir, new_run_id()) {
    EXPECT_TRUE(make_directory(record_.directory()));
  }
  void write_spec() const {
    ASSERT_TRUE(write_file_atomically(record_.path("spec"), wire::encode(wire::StartRequest{}),
                                      Durability::Process));
  }
  void write_alive(const std::string& boot_id, std::int64_t supervisor) const {
    const auto self = key_of(::getpid());
    ASSERT_TRUE(self);
    const wire::ProcessKey dead{.pid = self->pid, .start_time = self->start_time + 1};
    ASSERT_TRUE(record_.write_alive({.boot_id = boot_id,
                                     .supervisor = supervisor == 0 ? dead : *self,
                                     .command = dead,
                                     .started_ms = 5}));
  }
  RunRecord record_;
};

TEST_F(RunRecordTest, IsLockedByOneAtATime) {
  write_spec();
  EXPECT_FALSE(record_.locked());
  {
    const auto first = record_.try_lock();
    ASSERT_TRUE(first && *first);
    EXPECT_TRUE(record_.locked());
    const auto second = record_.try_lock();
    ASSERT_TRUE(second);
    EXPECT_FALSE(*second);
  }
  EXPECT_FALSE(record_.locked());
  EXPECT_TRUE(*record_.try_lock());
}

TEST_F(RunRecordTest, HoldsTheLockAsLongAsAnyCopyOfTheDescriptor) {
  write_spec();
  Fd copy;
  {
    auto lock = record_.try_lock();
    ASSERT_TRUE(lock && *lock);
    copy = Fd(::dup((*lock)->get()));
  }
  EXPECT_TRUE(record_.locked());
  copy.reset();
  EXPECT_FALSE(record_.locked());
}

TEST_F(RunRecordTest, HasNoLockWithoutASpec) {
  EXPECT_FALSE(record_.exists());
  EXPECT_FALSE(record_.locked());
  const auto lock = record_.try_lock();
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Errc::NotFound);
}

TEST_F(RunRecordTest, ReadsBackTheEndItWrote) {
  ASSERT_TRUE(record_.reserve_exit());
  EXPECT_FALSE(record_.has_ended());
  ASSERT_TRUE(record_.write_exit({.cause = wire::Cause::Timeout, .code = 3, .ended_ms = 99}));
  EXPECT_TRUE(record_.has_ended());
  const auto exit = record_.read_exit();
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->cause, wire::Cause::Timeout);
  EXPECT_EQ((*exit)->code, 3);
  EXPECT_EQ((*exit)->ended_ms, 99);
  EXPECT_FALSE(path_exists(record_.path("exit.reserve")));
  EXPECT_EQ(testing::mode_of(record_.path("exit")), 0600U);
}

TEST(RunRecordOnAFullDisk, StillTellsTheEnd) {
  const testing::Scratch scratch;
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch.path(), "size=64k,mode=700")) return "mount";
    const RunRecord record(scratch / "run");
    if (!make_directory(record.directory()) || !record.reserve_exit()) return "reserve";
    const Fd filler(::open((scratch / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (write_all(filler, std::string(1024UL * 1024, 'x'))) return "the disk is not full";
    if (write_file_atomically(scratch / "more", std::string(8192, 'y'), Durability::Process)) {
      return "there is still room";
    }
    const auto written = record.write_exit(
        {.cause = wire::Cause::Exited,
         .code = 4,
         .left_running = std::vector<wire::LiveProcess>(50, {.pid = 1, .command = "sleep 1000"})});
    if (!written) return written.error().message;
    const auto exit = record.read_exit();
    return exit && *exit && (*exit)->code == 4 ? "" : "the end cannot be read";
  });
  EXPECT_EQ(problem, "");
}

// As btrfs and ZFS do it: a write into the reserve takes a new block first.
TEST(RunRecordOnAFullDisk, TellsTheEndWhereNothingIsWrittenInPlace) {
  const testing::Scratch scratch;
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch.path(), "size=64k,mode=700")) return "mount";
    const RunRecord record(scratch / "run");
    if (!make_directory(record.directory())) return "mkdir";
    const Fd reserve(
        ::open(record.path("exit.reserve").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (::pwrite(reserve.get(), std::string(8192, 'x').data(), 8192, 8192) != 8192)
      return "reserve";
    const Fd filler(::open((scratch / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (write_all(filler, std::string(1024UL * 1024, 'x'))) return "the disk is not full";
    const auto written = record.write_exit({.code = 4});
    if (!written) return written.error().message;
    const auto exit = record.read_exit();
    return exit && *exit && (*exit)->code == 4 ? "" : "the end cannot be read";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(RunRecordTest, ReservesWhatCannotBeCompressedWhereNoBlocksAreGivenInAdvance) {
  EXPECT_TRUE(testing::is_so_in_a_child([&] {
    return testing::refuse_calls({{SYS_fallocate, EOPNOTSUPP}}) &&
           record_.reserve_exit().has_value();
  }));
  const auto bytes = read_file(record_.path("exit.reserve"), 1024UL * 1024);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 16384U);
  EXPECT_EQ(std::set<char>(bytes->begin(), bytes->end()).size(), 256U);
  // After a loss of power, part of it may stand where the end should be.
  ASSERT_TRUE(
      write_file_atomically(record_.path("exit"), bytes->substr(0, 100), Durability::Process));
  const auto exit = record_.read_exit();
  EXPECT_TRUE(exit && !*exit);
}

TEST_F(RunRecordTest, SaysThatThereIsNoRoomForTheEndBeforeItBegins) {
  EXPECT_TRUE(testing::is_so_in_a_child([&] {
    if (!testing::refuse_calls({{SYS_fallocate, EDQUOT}})) return false;
    const auto reserved = record_.reserve_exit();
    return !reserved && reserved.error().code == Errc::NoRoom;
  }));
}

TEST_F(RunRecordTest, ObservesNothingWhereThereIsNoRecord) {
  const auto facts = observe(record_, "boot");
  EXPECT_EQ(facts.run_id, record_.id());
  EXPECT_FALSE(facts.record_found || facts.supervisor_lives || facts.command_lives);
  EXPECT_FALSE(facts.alive || facts.exit);
}

TEST_F(RunRecordTest, ObservesAnUnbegunRunByItsLock) {
  write_spec();
  EXPECT_FALSE(observe(record_, "boot").supervisor_lives);
  const auto lock = record_.try_lock();
  const auto facts = observe(record_, "boot");
  EXPECT_TRUE(facts.record_found);
  EXPECT_TRUE(facts.supervisor_lives);
}

TEST_F(RunRecordTest, ObservesProcessesOnlyOfTheSameBoot) {
  write_spec();
  write_alive("boot", 1);
  EXPECT_TRUE(observe(record_, "boot").supervisor_lives);
  EXPECT_FALSE(observe(record_, "other").supervisor_lives);
}

TEST_F(RunRecordTest, AHeldLockProvesLifeWhateverTheBootId) {
  write_spec();
  const auto self = key_of(::getpid());
  ASSERT_TRUE(self);
  const wire::ProcessKey dead{.pid = self->pid, .start_time = self->start_time + 1};
  ASSERT_TRUE(record_.write_alive({.boot_id = "boot",
                                   .host = read_hostname(),
                                   .pid_ns = read_pid_namespace(),
                                   .supervisor = *self,
                                   .command = dead}));
  EXPECT_FALSE(observe(record_, "other").supervisor_lives);
  const auto lock = record_.try_lock();
  ASSERT_TRUE(lock && *lock);
  EXPECT_TRUE(observe(record_, "other").supervisor_lives);
  EXPECT_TRUE(is_here(record_, *observe(record_, "other").alive, "other"))
      << "so that it can be told to stop";
}

TEST_F(RunRecordTest, AnEndIsNoneWhileSupervisorAndCommandLive) {
  write_spec();
  auto command = Subprocess::spawn({.argv = {"cat"}, .environment = {}});
  ASSERT_TRUE(command);
  const auto self = key_of(::getpid());
  const auto key = key_of(command->pid());
  ASSERT_TRUE(self && key);
  ASSERT_TRUE(record_.write_alive({.boot_id = "boot", .supervisor = *self, .command = *key}));
  ASSERT_TRUE(record_.write_exit({.code = 0}));
  for (const bool after_end : {true, false}) {
    const auto facts = observe(record_, "boot", {.after_end = after_end});
    EXPECT_TRUE(facts.supervisor_lives && facts.command_lives);
    EXPECT_FALSE(has_surely_ended(facts));
  }
  EXPECT_FALSE(has_surely_ended(record_, "boot"));
  ::kill(command->pid(), SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return !lives(*key); }));
  ASSERT_TRUE(command->wait(testing::patience()));
  EXPECT_TRUE(has_surely_ended(record_, "boot"));
  const auto facts = observe(record_, "boot");
  EXPECT_TRUE(has_surely_ended(facts));
  EXPECT_TRUE(facts.supervisor_lives) << "it stays for what the command has left";
}

TEST_F(RunRecordTest, AnEndNeedsNoOtherProofWhereNobodyHoldsTheLock) {
  write_spec();
  const auto self = key_of(::getpid());
  ASSERT_TRUE(self);
  const wire::ProcessKey dead{.pid = self->pid, .start_time = self->start_time + 1};
  ASSERT_TRUE(record_.write_alive({.boot_id = "boot", .supervisor = dead, .command = *self}));
  EXPECT_FALSE(has_surely_ended(record_, "boot"));
  ASSERT_TRUE(record_.write_exit({.code = 0}));
  EXPECT_TRUE(has_surely_ended(record_, "boot"));
}

TEST_F(RunRecordTest, AHeldLockProvesLifeWhateverProcessesAreRecorded) {
  write_spec();
  write_alive("boot", 0);
  EXPECT_FALSE(observe(record_, "boot").supervisor_lives);
  const auto lock = record_.try_lock();
  ASSERT_TRUE(lock && *lock);
  const auto facts = observe(record_, "boot");
  EXPECT_TRUE(facts.supervisor_lives);
  EXPECT_EQ(members_of(record_, facts).supervisor, 0) << "whoever holds it is another one";
}

TEST_F(RunRecordTest, WhatWasLeftInAnotherContainerStands) {
  write_spec();
  const wire::ProcessKey unseen{.pid = 1, .start_time = 1};
  ASSERT_TRUE(record_.write_alive({.boot_id = "boot",
                                   .host = "container",
                                   .pid_ns = "pid:[1]",
                                   .supervisor = unseen,
                                   .command = unseen}));
  ASSERT_TRUE(record_.write_exit({.left_running = {{.pid = 7, .command = "x"}}}));
  EXPECT_EQ(observe(record_, "boot", {.members = true}).members.size(), 1U);
}

TEST_F(RunRecordTest, ObservesAnEndAndTheSizesOfTheOutputs) {
  write_spec();
  write_alive("boot", 0);
  ASSERT_TRUE(record_.write_exit({.left_running = {{.pid = 7, .command = "x"}}}));
  ASSERT_TRUE(write_file_atomically(record_.path("out"), "12345", Durability::Process));
  const auto facts = observe(record_, "boot");
  EXPECT_TRUE(facts.exit);
  EXPECT_EQ(facts.out_bytes, 5U);
  EXPECT_EQ(facts.err_bytes, 0U);
  EXPECT_TRUE(facts.members.empty()) << "who lived at the end is gone now";
}

// It has no mark and no session that tells, and nobody is left who knows it.
TEST_F(RunRecordTest, NamesWhoeverWasLeftAsLongAsThatVeryProcessLives) {
  write_spec();
  write_alive("boot", 0);
  auto left = Subprocess::spawn({.argv = {"cat"}, .environment = {}});
  ASSERT_TRUE(left);
  auto shown = describe({left->pid()});
  ASSERT_EQ(shown.size(), 1U);
  ASSERT_TRUE(record_.write_exit({.left_running = shown}));
  for (const bool members : {false, true}) {
    const auto facts = observe(record_, "boot", {.members = members});
    ASSERT_EQ(facts.members.size(), 1U);
    EXPECT_EQ(facts.members[0].pid, left->pid());
  }
  ++shown[0].start_time;  // somebody else has got its number
  ASSERT_TRUE(record_.write_exit({.left_running = shown}));
  EXPECT_TRUE(observe(record_, "boot").members.empty());
}

TEST_F(RunRecordTest, SaysWhatCannotBeRead) {
  write_spec();
  ASSERT_TRUE(write_file_atomically(record_.path("alive"), "garbage", Durability::Process));
  EXPECT_THAT(observe(record_, "boot").problem, HasSubstr("alive"));
  ASSERT_TRUE(record_.write_exit({.code = 0}));
  EXPECT_EQ(observe(record_, "boot").problem, "") << "an end needs no other proof";
  ASSERT_TRUE(write_file_atomically(record_.path("exit"), "\xff", Durability::Process));
  EXPECT_THAT(observe(record_, "boot").problem, HasSubstr("exit"));
}

TEST_F(RunRecordTest, ReadsHowMuchInputWasTaken) {
  EXPECT_EQ(read_input_position(record_), 0U);
  ASSERT_TRUE(write_file_atomically(record_.path("in.pos"), "abc", Durability::Process));
  EXPECT_EQ(read_input_position(record_), 0U);
  const std::string eight("\x05\0\0\0\0\0\0\0", 8);
  ASSERT_TRUE(write_file_atomically(record_.path("in.pos"), eight, Durability::Process));
  EXPECT_EQ(read_input_position(record_), 5U);
}

}  // namespace
}  // namespace yonder::outpost
