#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/scratch_test.h"
#include "tree/trash.h"
#include "tree/trash_batch.h"

namespace yonder::tree {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using yonder::testing::mode_of;
using yonder::testing::Scratch;

class TrashRestoreTest : public ::testing::Test {
 protected:
  TrashRestoreTest() {
    std::filesystem::create_directories(scratch_ / "root");
    root_ = Fd(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  // Takes paths of the root in one batch.
  TrashBatch take(const std::vector<std::string>& paths) {
    std::string id;
    {
      Trash trash(place_, root_.get(), scratch_ / "root", "delete");
      for (const std::string& path : paths) {
        const auto file = std::filesystem::path(scratch_ / "root") / path;
        const Fd directory(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        const auto taken = trash.take(directory.get(), file.filename(), path);
        EXPECT_TRUE(taken) << taken.error().message;
      }
      id = trash.batch();
    }
    auto batch = find_trash(place_, id);
    EXPECT_TRUE(batch) << batch.error().message;
    return *batch;
  }
  RestoreReport restore(const TrashBatch& batch, const std::vector<std::string>& paths = {}) {
    auto report = restore_trash(place_, batch, paths);
    EXPECT_TRUE(report) << report.error().message;
    return *report;
  }
  void age(const TrashBatch& batch, std::int64_t by_ms) const {
    const std::string info = batch.directory + "/info";
    std::ofstream(info, std::ios::trunc) << "yonder-trash 1\nwhy delete\ncreated_ms "
                                         << wall_clock_ms() - by_ms << "\nroot " << batch.root;
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(scratch_ / name));
  }

  Scratch scratch_;
  Fd root_;
  TrashPlace place_{scratch_ / "state"};
};

TEST_F(TrashRestoreTest, EverythingComesBackAndTheBatchIsGone) {
  scratch_.write("root/a/one", "1", 0640);
  scratch_.write("root/two", "2");
  ::chmod((scratch_ / "root/a").c_str(), 0750);
  const TrashBatch batch = take({"a/one", "two"});
  std::filesystem::remove(scratch_ / "root/a");
  const RestoreReport report = restore(batch);
  EXPECT_EQ(report.restored, 2U);
  EXPECT_EQ(report.batch, "");
  EXPECT_EQ(scratch_.read("root/a/one"), "1");
  EXPECT_EQ(mode_of(scratch_ / "root/a"), 0750U) << "a directory on the way is as it was";
  EXPECT_FALSE(exists("state/trash/" + batch.id));
}

TEST_F(TrashRestoreTest, WhatStandsThereNowIsKeptSoThatARestoreCanBeUndone) {
  scratch_.write("root/file", "old");
  const TrashBatch batch = take({"file"});
  scratch_.write("root/file", "new");
  const RestoreReport report = restore(batch);
  EXPECT_EQ(report.replaced, 1U);
  EXPECT_EQ(scratch_.read("root/file"), "old");
  restore(*find_trash(place_, report.batch));
  EXPECT_EQ(scratch_.read("root/file"), "new");
}

TEST_F(TrashRestoreTest, OnlyThePathsThatWereAskedForComeBack) {
  scratch_.write("root/d/one", "1");
  scratch_.write("root/d/two", "2");
  const TrashBatch batch = take({"d/one", "d/two"});
  const RestoreReport report = restore(batch, {"d/one", "d/three"});
  EXPECT_EQ(report.restored, 1U);
  ASSERT_THAT(report.failed, SizeIs(1));
  EXPECT_EQ(report.failed[0].path, "d/three");
  EXPECT_TRUE(exists("root/d/one"));
  EXPECT_FALSE(exists("root/d/two"));
  EXPECT_THAT(*list_batch(batch, 100), ElementsAre("d/two"));
}

TEST_F(TrashRestoreTest, ADirectoryThatExistsIsFilledNotReplaced) {
  scratch_.write("root/d/one", "1");
  const TrashBatch batch = take({"d"});
  scratch_.write("root/d/later", "l");
  restore(batch);
  EXPECT_EQ(scratch_.read("root/d/one"), "1");
  EXPECT_EQ(scratch_.read("root/d/later"), "l");
}

TEST_F(TrashRestoreTest, APathThatWasTakenTwiceComesBackAsItWasAtFirst) {
  scratch_.write("root/f", "first");
  std::string id;
  {
    Trash trash(place_, root_.get(), scratch_ / "root", "sync");
    ASSERT_TRUE(trash.take(root_.get(), "f", "f"));
    scratch_.write("root/f", "second");
    ASSERT_TRUE(trash.take(root_.get(), "f", "f"));
    id = trash.batch();
  }
  const RestoreReport report = restore(*find_trash(place_, id));
  EXPECT_EQ(scratch_.read("root/f"), "first");
  EXPECT_EQ(report.replaced, 1U);
}

TEST_F(TrashRestoreTest, ADirectoryThatWasSwappedForALinkDoesNotLeadOut) {
  std::filesystem::create_directories(scratch_ / "outside");
  scratch_.write("root/d/file", "1");
  const TrashBatch batch = take({"d/file"});
  std::filesystem::remove(scratch_ / "root/d");
  std::filesystem::create_directory_symlink(scratch_ / "outside", scratch_ / "root/d");
  const RestoreReport one = restore(batch, {"d/file"});
  EXPECT_THAT(one.failed, SizeIs(1));
  EXPECT_FALSE(exists("outside/file"));
  const RestoreReport all = restore(batch);
  EXPECT_EQ(all.replaced, 1U) << "the link itself is moved away";
  EXPECT_FALSE(exists("outside/file"));
  EXPECT_EQ(scratch_.read("root/d/file"), "1");
}

TEST_F(TrashRestoreTest, PathsThatLeadElsewhereAreRefused) {
  scratch_.write("root/f", "1");
  const TrashBatch batch = take({"f"});
  for (const char* bad : {"../f", "/f", "a/../f"}) {
    EXPECT_FALSE(restore_trash(place_, batch, {bad})) << bad;
  }
}

TEST_F(TrashRestoreTest, TheListHasTheNewestFirst) {
  scratch_.write("root/f", "1");
  const TrashBatch older = take({"f"});
  age(older, 5000);
  scratch_.write("root/f", "12345");
  const TrashBatch newer = take({"f"});
  const auto batches = list_trash(place_);
  ASSERT_TRUE(batches);
  ASSERT_THAT(*batches, SizeIs(2));
  EXPECT_EQ((*batches)[0].id, newer.id);
  EXPECT_EQ((*batches)[1].id, older.id);
  EXPECT_EQ((*batches)[0].entries, 1U);
  EXPECT_EQ((*batches)[0].why, "delete");
  EXPECT_EQ((*batches)[0].root, scratch_ / "root");
  EXPECT_THAT(*list_trash(place_, "/somewhere/else"), SizeIs(0));
}

TEST_F(TrashRestoreTest, AnUnknownBatchIsSaidToBeUnknown) {
  EXPECT_EQ(find_trash(place_, "20260101T000000-abcd").error().code, Errc::NotFound);
  EXPECT_EQ(find_trash(place_, "../../etc").error().code, Errc::InvalidArgument);
}

TEST_F(TrashRestoreTest, AUniqueBeginningOfAnIdIsEnoughAndAnotherNamesWhatFits) {
  std::ofstream(scratch_ / "root/a") << "a";
  std::ofstream(scratch_ / "root/b") << "b";
  const std::string one = take({"a"}).id;
  const std::string other = take({"b"}).id;
  ASSERT_NE(one, other);
  std::size_t same = 0;
  while (one[same] == other[same]) ++same;
  EXPECT_EQ(find_trash(place_, one.substr(0, same + 1))->id, one);
  EXPECT_EQ(find_trash(place_, other.substr(0, same + 1))->id, other);
  const auto both = find_trash(place_, one.substr(0, same));
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, Errc::InvalidArgument);
  EXPECT_THAT(both.error().message, ::testing::HasSubstr(one));
  EXPECT_THAT(both.error().message, ::testing::HasSubstr(other));
  EXPECT_EQ(find_trash(place_, "1999").error().code, Errc::NotFound);
  EXPECT_EQ(find_trash(place_, "").error().code, Errc::InvalidArgument);
  EXPECT_EQ(find_trash(place_, one + "a").error().code, Errc::InvalidArgument);
}

TEST_F(TrashRestoreTest, CollectingKeepsTheNewestAndNeverWhatIsYoung) {
  std::vector<TrashBatch> batches;
  for (int i = 0; i < 5; ++i) {
    scratch_.write("root/f", "1");
    batches.push_back(take({"f"}));
    age(batches.back(), (10 - i) * 3600LL * 1000);
  }
  scratch_.write("root/f", "1");
  const TrashBatch young = take({"f"});
  collect_trash(place_, {.batches_per_root = 3});
  const auto left = list_trash(place_);
  ASSERT_THAT(*left, SizeIs(3));
  EXPECT_EQ((*left)[0].id, young.id);
  EXPECT_EQ((*left)[2].id, batches[3].id);
  collect_trash(place_, {.max_age_ms = 1000});
  EXPECT_THAT(*list_trash(place_), SizeIs(1));
  collect_trash(place_, {.percent_of_disk = 0});
  EXPECT_THAT(*list_trash(place_), SizeIs(1)) << "younger than an hour";
  collect_trash(place_, {.percent_of_disk = 0, .always_kept_ms = 0});
  EXPECT_THAT(*list_trash(place_), SizeIs(0));
}

TEST_F(TrashRestoreTest, CollectingLeavesABatchThatIsInUse) {
  scratch_.write("root/f", "1");
  Trash trash(place_, root_.get(), scratch_ / "root", "sync");
  ASSERT_TRUE(trash.take(root_.get(), "f", "f"));
  collect_trash(place_, {.percent_of_disk = 0, .always_kept_ms = -1});
  EXPECT_THAT(*list_trash(place_), SizeIs(1));
}

TEST_F(TrashRestoreTest, DeepAndReadOnlyTreesAreCollectedToo) {
  std::string deep = "root/top";
  for (int i = 0; i < 300; ++i) deep += "/d";
  scratch_.write(deep + "/file", "1");
  ::chmod((scratch_ / "root/top/d").c_str(), 0500);
  const TrashBatch batch = take({"top"});
  EXPECT_FALSE(batch.counted);
  collect_trash(place_, {.percent_of_disk = 0, .always_kept_ms = -1});
  EXPECT_THAT(*list_trash(place_), SizeIs(0));
}

}  // namespace
}  // namespace yonder::tree
