#include "tree/trash_room.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "base/scratch_test.h"
#include "tree/apply.h"
#include "tree/change_files.h"
#include "tree/part.h"
#include "tree/trash_batch.h"
#include "tree/write_file.h"

namespace yonder::tree {
namespace {

using yonder::testing::mount_tmpfs;
using yonder::testing::Scratch;
using yonder::testing::with_private_mounts;

constexpr std::uint64_t kMega = 1024UL * 1024;

TEST(TrashAllowance, IsAShareOfTheDiskAndNeverMoreThanHalfOfWhatIsFree) {
  EXPECT_EQ(trash_allowance({.size = 1000, .free = 900}, 0, 10), 100U);
  EXPECT_EQ(trash_allowance({.size = 1000, .free = 60}, 90, 10), 50U);
  EXPECT_EQ(trash_allowance({.size = 1000, .free = 0}, 30, 10), 10U);
  EXPECT_EQ(trash_allowance({.size = 1000, .free = 900}, 50, 0), 0U);
}

TEST(MissingRoom, IsWhatTheDiskLacksOrAllOfItWhenTheDiskClaimsToHaveIt) {
  EXPECT_EQ(missing_room({.size = 0, .free = 100}, 40, RoomAsked::Ahead), 0U);
  EXPECT_EQ(missing_room({.size = 0, .free = 100}, 140, RoomAsked::Ahead), 40U);
  EXPECT_EQ(missing_room({.size = 0, .free = 100}, 140, RoomAsked::AfterAFailure), 40U);
  EXPECT_EQ(missing_room({.size = 0, .free = 100}, 40, RoomAsked::AfterAFailure), 40U);
  EXPECT_EQ(missing_room({.size = 0, .free = 0}, UINT64_MAX, RoomAsked::Ahead), UINT64_MAX);
}

// A small disk with both the tree and the trash on it.
class TrashRoomTest : public ::testing::Test {
 protected:
  std::string on_a_disk_of(const char* size, const std::function<std::string()>& body) {
    std::filesystem::create_directories(disk_);
    return with_private_mounts([&]() -> std::string {
      if (!mount_tmpfs(disk_, size)) return "mount";
      std::filesystem::create_directories(disk_ + "/root");
      return body();
    });
  }
  Fd open_root() const {
    return Fd(::open((disk_ + "/root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  // As one sync does it: with an applier of its own, and the collector behind it.
  Result<void> put(const std::string& name, char fill, std::uint64_t size) const {
    const Fd root = open_root();
    std::uint64_t trashed = 0;
    {
      Applier applier(root.get(), disk_ + "/root", place_, {});
      struct stat info {};
      const bool there = ::fstatat(root.get(), name.c_str(), &info, 0) == 0;
      const Seen seen = there ? Seen{.exists = true,
                                     .type = Type::File,
                                     .size = static_cast<std::uint64_t>(info.st_size),
                                     .mtime_ns = mtime_of(info)}
                              : Seen{};
      const std::string content(size, fill);
      TRY_ASSIGN(IncomingFile file, applier.begin_file({.path = name,
                                                        .mode = 0600,
                                                        .mtime_ns = fill * 1000000000LL,
                                                        .size = size,
                                                        .expected = seen}));
      TRY(file.write(content));
      TRY(file.finish(hash_of_bytes(content)));
      trashed = applier.trashed_bytes();
    }
    collect_trash_sometimes(place_, disk_ + "/root", trashed);
    return {};
  }
  std::size_t batches() const { return list_trash(place_)->size(); }

  Scratch scratch_;
  std::string disk_ = scratch_ / "disk";
  TrashPlace place_{disk_ + "/state"};
};

TEST_F(TrashRoomTest, AFileThatIsReplacedAgainAndAgainDoesNotFillTheDisk) {
  const auto problem = on_a_disk_of("size=100m", [&]() -> std::string {
    for (char version = 'a'; version < 'p'; ++version) {
      const auto done = put("large", version, 10 * kMega);
      if (!done) return std::string("version ") + version + ": " + done.error().message;
      if (version > 'a' && batches() == 0) return "the last version is not kept";
      if (batches() > 2) return "the trash grows";
    }
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(TrashRoomTest, OldBatchesMakeWayForAWriteAndOnlyAsManyAsItTakes) {
  const auto problem = on_a_disk_of("size=8m", [&]() -> std::string {
    const Fd root = open_root();
    for (int i = 0; i < 3; ++i) {
      scratch_.write("disk/root/old" + std::to_string(i), std::string(2 * kMega, 'o'));
      Trash trash(place_, root.get(), disk_ + "/root", "delete");
      const std::string name = "old" + std::to_string(i);
      if (!trash.take(root.get(), name, name)) return "take";
    }
    if (batches() != 3) return "three batches";
    scratch_.write("disk/state/trash/collected", "");  // a moment ago
    const auto written = write_file(
        {.path = disk_ + "/root/f", .content = std::string(3 * kMega, 'n')}, disk_, place_);
    if (!written) return written.error().message;
    return batches() == 2 ? "" : "batches: " + std::to_string(batches());
  });
  EXPECT_EQ(problem, "");
}

TEST_F(TrashRoomTest, WhatDoesNotFitAnyhowCostsNoBatchAndTheHintNamesTheTrash) {
  const auto problem = on_a_disk_of("size=16m", [&]() -> std::string {
    const Fd root = open_root();
    scratch_.write("disk/root/old", std::string(4 * kMega, 'o'));
    {
      Trash trash(place_, root.get(), disk_ + "/root", "delete");
      if (!trash.take(root.get(), "old", "old")) return "take";
    }
    const auto written = write_file(
        {.path = disk_ + "/root/f", .content = std::string(20 * kMega, 'n')}, disk_, place_);
    if (written) return "it fitted";
    if (written.error().code != Errc::NoRoom) return written.error().message;
    if (written.error().hint.find("yonder trash --empty") == std::string::npos) {
      return written.error().hint;
    }
    return batches() == 1 ? "" : "a batch is gone";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(TrashRoomTest, TheRestOfAFileFindsRoomInTheMiddle) {
  const auto problem = on_a_disk_of("size=18m", [&]() -> std::string {
    const Fd root = open_root();
    scratch_.write("disk/root/old", std::string(7 * kMega, 'o'));
    {
      Trash trash(place_, root.get(), disk_ + "/root", "delete");
      if (!trash.take(root.get(), "old", "old")) return "take";
    }
    Applier applier(root.get(), disk_ + "/root", place_, {});
    auto file = applier.begin_file({.path = "f", .mode = 0600, .size = 8 * kMega});
    if (!file) return file.error().message;
    // Another program takes the room meanwhile.
    scratch_.write("disk/other", std::string(8 * kMega, 'x'));
    const std::string content(8 * kMega, 'n');
    if (const auto done = file->write(content); !done) return done.error().message;
    if (const auto done = file->finish(hash_of_bytes(content)); !done) return done.error().message;
    return scratch_.read("disk/root/f") == content ? "" : "the content differs";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(TrashRoomTest, ASegmentFindsRoomTooAndTheBatchInUseStays) {
  const auto problem = on_a_disk_of("size=40m", [&]() -> std::string {
    const Fd root = open_root();
    scratch_.write("disk/root/old", std::string(12 * kMega, 'o'));
    scratch_.write("disk/root/kept", "kept");
    {
      Trash trash(place_, root.get(), disk_ + "/root", "delete");
      if (!trash.take(root.get(), "old", "old")) return "take";
    }
    Trash busy(place_, root.get(), disk_ + "/root", "delete");
    if (!busy.take(root.get(), "kept", "kept")) return "take the other";
    Applier applier(root.get(), disk_ + "/root", place_, {.claim = {1, 1}});
    auto part = PartFile::open(applier, {.path = "f", .mode = 0600, .size = 2 * kSegment});
    if (!part) return part.error().message;
    scratch_.write("disk/other", std::string(20 * kMega, 'x'));
    const std::string content(kSegment, 'n');
    for (std::uint64_t i = 0; i < 2; ++i) {
      if (!part->begin(i)) return "begin";
      if (const auto done = part->write(content); !done) return done.error().message;
      if (const auto done = part->end(hash_of_bytes(content)); !done) return done.error().message;
    }
    if (batches() != 1) return "batches: " + std::to_string(batches());
    return find_trash(place_, busy.batch()) ? "" : "the batch in use is gone";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(TrashRoomTest, EmptyingRemovesTheBatchesThatAreNamedAndSaysWhichStay) {
  std::filesystem::create_directories(disk_ + "/root");
  const Fd root = open_root();
  std::vector<std::string> ids;
  for (int i = 0; i < 2; ++i) {
    scratch_.write("disk/root/f", "1");
    Trash trash(place_, root.get(), disk_ + "/root", "delete");
    ASSERT_TRUE(trash.take(root.get(), "f", "f"));
    ids.push_back(trash.batch());
  }
  scratch_.write("disk/root/f", "1");
  Trash busy(place_, root.get(), disk_ + "/root", "delete");
  ASSERT_TRUE(busy.take(root.get(), "f", "f"));
  const auto done =
      empty_trash({.batches = {ids[0], busy.batch(), "20260101T000000-abcd", "../../x"}}, place_);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->batches, 1U);
  ASSERT_EQ(done->kept.size(), 2U);
  EXPECT_EQ(done->kept[0].path, busy.batch());
  EXPECT_THAT(done->kept[0].reason, ::testing::HasSubstr("in use"));
  const auto shown = show_trash({}, place_);
  // Batches of one millisecond come in any order.
  std::vector<std::string> left;
  for (const auto& batch : shown->batches) {
    left.push_back(batch.directory);
    EXPECT_GE(shown->now_ms, batch.created_ms);
  }
  const std::string trash = disk_ + "/state/trash/";
  EXPECT_THAT(left, ::testing::UnorderedElementsAre(trash + ids[1], trash + busy.batch()));
}

}  // namespace
}  // namespace yonder::tree
