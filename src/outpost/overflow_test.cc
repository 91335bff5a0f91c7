#include "outpost/overflow.h"

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "outpost/background_fixture_test.h"
#include "outpost/list_runs.h"
#include "outpost/record_files.h"
#include "outpost/remove_run.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

// A state directory on a disk of its own, and one other place for records.
class Overflow : public BackgroundTest {
 protected:
  Overflow() { around_.overflow = {place("first"), place("second")}; }

  std::string place(const std::string& name) const {
    return concat(scratch_.path(), "/", name, "/yonder-7/overflow/h");
  }
  static constexpr const char* kCount = "echo started >> count; echo out; exit 3";
  std::size_t starts() const {
    const std::string text = scratch_.read("count");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  // Too small for any record.
  bool mount_runs(const char* options = "size=4k,mode=700") const {
    return testing::mount_tmpfs(scratch_ / "state/runs", options);
  }
  bool make_room() const {
    return ::mount("tmpfs", (scratch_ / "state/runs").c_str(), "tmpfs", MS_REMOUNT,
                   "size=4m,nr_inodes=1000") == 0;
  }
  std::string wait_for_three(const RunRecord& record) const {
    if (wait_for_end(record).code != 3) return "another end";
    return text_of(record, "out") == "out\n" ? "" : "another output";
  }
  std::string starts_elsewhere(const char* options) const {
    return testing::with_private_mounts([&]() -> std::string {
      if (!mount_runs(options)) return "mount";
      const auto wanted = request(kCount);
      const auto started = start_run(around_, wanted);
      if (!started) return started.error().message;
      if (started->existed) return "it existed";
      const auto found = find_run(around_, wanted.run_id);
      if (!found || found->directory() != concat(place("first"), "/runs/", wanted.run_id)) {
        return "it is not found";
      }
      if (path_exists(concat(around_.state_dir, "/runs/", wanted.run_id)))
        return "something is left";
      const auto facts = observe(*found, around_.boot_id);
      if (!facts.moved || facts.moved->why.find("No space left") == std::string::npos) {
        return "it does not say where it is";
      }
      return wait_for_three(*found);
    });
  }
};

TEST(OverflowPlaces, AreOutsideOfTheHomeAndOfOneStateDirectoryEach) {
  const auto places = overflow_candidates("/home/u/.local/state/yonder", "/run/user/7", "7");
  ASSERT_EQ(places.size(), 4U);
  EXPECT_THAT(places[0], HasSubstr("/var/tmp/yonder-7/overflow/"));
  EXPECT_THAT(places[3], HasSubstr("/run/user/7/yonder-7/overflow/"));
  EXPECT_NE(places, overflow_candidates("/elsewhere", "/run/user/7", "7"));
}

TEST_F(Overflow, TakesTheRecordOfACommandWhereTheDiskIsFull) {
  EXPECT_EQ(starts_elsewhere("size=4k,mode=700"), "");
  EXPECT_EQ(starts(), 1U);
}

TEST_F(Overflow, TakesTheRecordOfACommandWhereNoFileCanBeMade) {
  EXPECT_EQ(starts_elsewhere("nr_inodes=2,mode=700"), "");
  EXPECT_EQ(starts(), 1U);
}

TEST_F(Overflow, TakesTheRecordWhenTheDiskHasFilledUpAfterASpareWasMade) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!testing::mount_tmpfs(scratch_ / "state", "size=40k,mode=700")) return "mount";
              for (const char* name : {"state/runs", "state/keys", "state/spares"}) {
                if (!make_directory(scratch_ / name)) return "mkdir";
              }
              std::optional<Spare> spare = Spare::fork_one(around_.state_dir);
              const auto ready = [&] {
                const auto names = names_in(scratch_ / "state/spares");
                return names.size() == 1 && !names[0].ends_with(".new");
              };
              if (!testing::eventually(ready)) return "no spare";
              scratch_.write("state/filler", std::string(100000, 'x'));
              const auto started = start_run(around_, request(kCount), spare);
              if (!started) return started.error().message;
              return wait_for_three(started->record);
            }),
            "");
  EXPECT_EQ(starts(), 1U);
}

TEST_F(Overflow, TakesTheRecordOfACommandWhereLittleOfItsOutputWouldFit) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              const std::string state = scratch_ / "state";
              if (!testing::mount_tmpfs(state, "size=512k,mode=700")) return "mount";
              if (!make_directory(state + "/runs") || !make_directory(state + "/keys"))
                return "mkdir";
              const auto started = start_run(around_, request("head -c 900000 /dev/zero"));
              if (!started) return started.error().message;
              if (!started->record.directory().starts_with(place("first"))) return "not there";
              if (wait_for_end(started->record).code != 0) return "the output found no room";
              const auto facts = observe(started->record, around_.boot_id);
              if (!facts.moved || facts.moved->why.find("less than 1 MiB") == std::string::npos)
                return "it does not say why";
              return facts.out_bytes == 900000 ? "" : "output is missing";
            }),
            "");
}

TEST_F(Overflow, StaysAtTheUsualPlaceWhereNoOtherHasMoreRoom) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              for (const char* disk : {"state", "first", "second"}) {
                if (!make_directory(scratch_ / disk) && !path_exists(scratch_ / disk))
                  return "mkdir";
                if (!testing::mount_tmpfs(scratch_ / disk, "size=512k,mode=700")) return "mount";
              }
              for (const char* name : {"state/runs", "state/keys"}) {
                if (!make_directory(scratch_ / name)) return "mkdir";
              }
              const auto started = start_run(around_, request(kCount));
              if (!started) return started.error().message;
              if (!started->record.directory().starts_with(around_.state_dir)) return "not there";
              return wait_for_three(started->record);
            }),
            "");
}

TEST_F(Overflow, GoesOnToTheNextPlaceWhereTheFirstIsFullToo) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs() || !make_directory(scratch_ / "first")) return "mount";
              if (!testing::mount_tmpfs(scratch_ / "first", "size=8k,mode=700")) return "mount";
              const auto started = start_run(around_, request(kCount));
              if (!started) return started.error().message;
              if (!started->record.directory().starts_with(place("second"))) return "not there";
              return wait_for_three(started->record);
            }),
            "");
}

TEST_F(Overflow, SaysThatARecordInMemoryWouldNotSurvive) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs() || !make_directory(scratch_ / "first")) return "mount";
              if (!testing::mount_tmpfs(scratch_ / "first", "size=1m,mode=700")) return "mount";
              const auto started = start_run(around_, request(kCount));
              if (!started) return started.error().message;
              const auto moved = observe(started->record, around_.boot_id).moved;
              if (!moved || !moved->in_memory) return "it does not say so";
              return wait_for_three(started->record);
            }),
            "");
}

TEST_F(Overflow, RefusesABackgroundRunAndLeavesNothing) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs()) return "mount";
              const auto started = start_run(around_, in_background(kCount));
              if (started) return "it was started";
              return started.error().code == Errc::NoPlace ? "" : started.error().message;
            }),
            "");
  EXPECT_EQ(starts(), 0U);
}

TEST_F(Overflow, IsAttachedToWhenTheDiskHasRoomAgain) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs()) return "mount";
              const auto wanted = request(kCount);
              const auto started = start_run(around_, wanted);
              if (!started || !make_room()) return "no start, or no room";
              const auto again = start_run(around_, wanted);
              if (!again || !again->existed) return "it was started again";
              if (again->record.directory() != started->record.directory()) return "another one";
              return wait_for_three(again->record);
            }),
            "");
  EXPECT_EQ(starts(), 1U);
}

TEST_F(Overflow, RunsTheWorkOfAKeyOnce) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs()) return "mount";
              auto wanted = request(kCount);
              wanted.key = "work";
              const auto started = start_run(around_, wanted);
              if (!started || !make_room()) return "no start, or no room";
              collect_leftovers(around_.state_dir, scratch_ / "program");
              auto other = request(kCount);
              other.key = "work";
              const auto again = start_run(around_, other);
              if (!again) return again.error().message;
              if (again->record.id() != wanted.run_id) return "another run has begun";
              const std::string ended = wait_for_three(again->record);
              // As after a restart of the machine, or on another one that shares the home.
              remove_run(again->record.directory());
              const auto gone = start_run(around_, other);
              if (gone) return "it was run again";
              return gone.error().code == Errc::Conflict ? ended : gone.error().message;
            }),
            "");
  EXPECT_EQ(starts(), 1U);
}

TEST_F(Overflow, PreventsARunThatIsOnItsWay) {
  EXPECT_EQ(testing::with_private_mounts([&]() -> std::string {
              if (!mount_runs("nr_inodes=1,mode=700")) return "mount";
              const auto wanted = request(kCount);
              const auto prevented = prevent_run(around_, RunId(wanted.run_id));
              if (!prevented) return prevented.error().message;
              if (!make_room()) return "no room";
              const auto started = start_run(around_, wanted);
              return started && started->existed ? "" : "it was started";
            }),
            "");
  EXPECT_EQ(starts(), 0U);
}

// The name of the run is taken in one place by one process, and in another one by another.
TEST_F(Overflow, LeavesARunToTheProcessWithTheBetterPlace) {
  const auto wanted = request(kCount);
  ASSERT_TRUE(claim_overflow(place("first")));
  const RunRecord usual(around_.state_dir, RunId(wanted.run_id));
  const RunRecord moved(place("first"), RunId(wanted.run_id));
  ASSERT_TRUE(make_directory(usual.directory()));
  ASSERT_TRUE(make_directory(moved.directory()));
  const auto seen = find_rival(around_, moved);
  ASSERT_TRUE(seen && *seen);
  EXPECT_EQ((*seen)->directory(), usual.directory());
  const auto dead = find_rival(around_, usual);
  EXPECT_TRUE(dead && !*dead) << "whoever made it is gone";

  auto lock = create_spec(moved);
  ASSERT_TRUE(lock);
  std::thread withdraws([&] { remove_run(moved.directory()); });
  const auto free = find_rival(around_, usual);
  withdraws.join();
  EXPECT_TRUE(free && !*free) << "whoever made it has withdrawn";

  ASSERT_TRUE(make_directory(moved.directory()));
  lock = create_spec(moved);
  ASSERT_TRUE(lock);
  std::thread goes_on([&] { EXPECT_TRUE(write_spec(moved, *lock, wanted)); });
  const auto taken = find_rival(around_, usual);
  goes_on.join();
  ASSERT_TRUE(taken && *taken);
  EXPECT_EQ((*taken)->directory(), moved.directory());
}

TEST_F(Overflow, IsNotBelievedWhereAnotherUserCouldHaveWrittenIt) {
  const auto wanted = request(kCount);
  ASSERT_TRUE(claim_overflow(place("first")));
  const RunRecord moved(place("first"), RunId(wanted.run_id));
  ASSERT_TRUE(make_directory(moved.directory()));
  ASSERT_TRUE(create_spec(moved));
  EXPECT_TRUE(find_record(around_, RunId(wanted.run_id)));
  ASSERT_EQ(::chmod((scratch_ / "first/yonder-7").c_str(), 0777), 0);
  EXPECT_FALSE(find_record(around_, RunId(wanted.run_id)));
}

TEST_F(Overflow, IsCollectedLikeAnyRecord) {
  const auto wanted = request(kCount);
  ASSERT_TRUE(claim_overflow(place("first")));
  const RunRecord moved(place("first"), RunId(wanted.run_id));
  ASSERT_TRUE(make_directory(moved.directory()));
  ASSERT_TRUE(write_file_atomically(moved.path("spec"), wire::encode(wanted), Durability::Process));
  ASSERT_TRUE(moved.write_exit({.code = 0}));
  collect_overflow(around_);
  EXPECT_TRUE(moved.exists());
  testing::make_older(moved.path("exit"), std::chrono::hours(6));
  const std::string collected = place("first") + "/collected";
  ASSERT_TRUE(write_file_atomically(collected, "", Durability::Process));
  testing::make_older(collected, std::chrono::hours(4));
  collect_overflow(around_);
  EXPECT_FALSE(moved.exists());
}

}  // namespace
}  // namespace yonder::outpost
