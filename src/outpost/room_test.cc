#include "outpost/room.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/syscall.h>

#include "base/refused_calls_test.h"
#include "base/text.h"
#include "outpost/background_fixture_test.h"

namespace yonder::outpost {
namespace {

TEST(Room, OfADiskIsWhatItsUserMayWrite) {
  struct statvfs disk {};
  disk.f_frsize = 4096;
  disk.f_blocks = 1000;
  disk.f_bfree = 50;
  disk.f_bavail = 4;
  EXPECT_FALSE(is_full(disk, false));
  disk.f_bavail = 3;
  EXPECT_TRUE(is_full(disk, false));
  EXPECT_FALSE(is_full(disk, true)) << "the rest is kept for root";
  disk.f_blocks = 0;
  EXPECT_FALSE(is_full(disk, false)) << "a file system without a size has no limit";
}

TEST(Room, AskingForItLeavesTheFileAsItWas) {
  const testing::Scratch scratch;
  const std::string path = scratch.write("file", "text");
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(refuses_room(file).value_or(false));
  EXPECT_EQ(scratch.read("file"), "text");
}

TEST(Room, IsKnownToBeRefusedByAQuota) {
  const testing::Scratch scratch;
  const std::string path = scratch.write("file", "text");
  EXPECT_TRUE(testing::is_so_in_a_child([&] {
    const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return testing::refuse_calls({{SYS_fallocate, EDQUOT}}) && refuses_room(file) == true;
  }));
  EXPECT_TRUE(testing::is_so_in_a_child([&] {
    const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return testing::refuse_calls({{SYS_fallocate, EOPNOTSUPP}}) &&
           refuses_room(file) == std::nullopt;
  }));
}

// Runs whose records are on a disk that becomes full.
class FullDisk : public BackgroundTest {
 protected:
  static constexpr const char* kMuch = "head -c 1000000 /dev/zero; ";

  bool mount_runs(const char* options) const {
    return testing::mount_tmpfs(scratch_ / "state/runs", options);
  }
  void fill() const {
    const Fd filler(
        ::open((scratch_ / "state/runs/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    while (::write(filler.get(), std::string(4096, 'x').data(), 4096) > 0) {
    }
  }
  void empty() const { ::unlink((scratch_ / "state/runs/filler").c_str()); }
  std::string run_on_full_disk(const wire::StartRequest& wanted, bool freed_in_time = false) const {
    return testing::with_private_mounts([&]() -> std::string {
      if (!mount_runs("size=128k,mode=700")) return "mount";
      const auto started = start_run(around_, wanted);
      if (!started) return started.error().message;
      const RunRecord& record = started->record;
      wait_until_alive(record);
      fill();
      if (freed_in_time) {
        if (!wait_for_two_looks(record)) return "the supervisor did not look";
        empty();
      } else if (!observe(record, around_.boot_id).disk_full) {
        return "it is not seen while it runs";
      }
      scratch_.write("go", "");
      const auto exit = wait_for_end(record);
      if (exit.code != 3) return "another end";
      if (!exit.disk_full) return "nothing is said";
      return observe(record, around_.boot_id).disk_full ? "" : "it is not among the facts";
    });
  }

 private:
  static long wakeups_of(std::int64_t pid) {
    const auto status = read_file(concat("/proc/", pid, "/status"), kSmallFile);
    const std::string name = "\nvoluntary_ctxt_switches:";
    const std::size_t at = status ? status->find(name) : std::string::npos;
    return at == std::string::npos ? 0 : std::atol(status->c_str() + at + name.size());
  }
  // Nothing else wakes the supervisor of a command that is quiet.
  static bool wait_for_two_looks(const RunRecord& record) {
    const auto supervisor = alive_of(record).supervisor.pid;
    const long before = wakeups_of(supervisor);
    return testing::eventually([&] { return wakeups_of(supervisor) >= before + 2; });
  }
};

TEST_F(FullDisk, IsToldOfACommandWhoseOutputItTookNothingOf) {
  EXPECT_EQ(run_on_full_disk(request(until("go") + "echo lost; exit 3")), "");
}

TEST_F(FullDisk, IsToldOfACommandWhoseOutputItCutShort) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs("size=64k,mode=700")) return "mount";
              const auto record = start(concat(kMuch, "exit 3"));
              const auto exit = wait_for_end(record);
              if (record.size_of("out") >= 1000000) return "it was not cut";
              return exit.code == 3 && exit.disk_full ? "" : "nothing is said";
            }),
            "");
}

TEST_F(FullDisk, IsToldOfABackgroundRun) {
  EXPECT_EQ(run_on_full_disk(in_background(until("go") + "echo lost; exit 3")), "");
}

TEST_F(FullDisk, IsToldWhenItWasFreedBeforeTheEnd) {
  EXPECT_EQ(run_on_full_disk(request("echo lost; " + until("go") + "exit 3"), true), "");
}

TEST_F(FullDisk, IsToldOfALogOfTheUserOnAnotherDisk) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              ::mkdir((scratch_ / "logs").c_str(), 0700);
              if (!testing::mount_tmpfs(scratch_ / "logs", "size=64k,mode=700")) return "mount";
              auto wanted = in_background(concat(kMuch, "exit 3"));
              wanted.log_file = scratch_ / "logs/a.log";
              const auto exit = wait_for_end(start(wanted));
              return exit.code == 3 && exit.disk_full ? "" : "nothing is said";
            }),
            "");
}

TEST_F(FullDisk, IsNotClaimedOfOneThatHasRoom) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs("size=1m,mode=700")) return "mount";
              const auto record = start("echo kept; exit 3");
              const auto exit = wait_for_end(record);
              if (exit.disk_full || observe(record, around_.boot_id).disk_full) return "claimed";
              return text_of(record, "out") == "kept\n" ? "" : "lost";
            }),
            "");
}

}  // namespace
}  // namespace yonder::outpost
