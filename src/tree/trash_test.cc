#include "tree/trash.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "tree/trash_batch.h"

namespace yonder::tree {
namespace {

using yonder::testing::mode_of;
using yonder::testing::Scratch;

class TrashTest : public ::testing::Test {
 protected:
  TrashTest() : root_(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  static std::string made_root(const Scratch& scratch) {
    std::filesystem::create_directories(scratch / "root");
    return scratch / "root";
  }
  std::string in_batch(const Trash& trash, const std::string& path) const {
    return scratch_.read("state/trash/" + trash.batch() + "/files/" + path);
  }
  Fd open_below(const std::string& relative) const {
    return Fd(::open((root_path_ + "/" + relative).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  Scratch scratch_;
  std::string root_path_ = made_root(scratch_);
  Fd root_;
  TrashPlace place_{scratch_ / "state"};
};

TEST_F(TrashTest, CostsNothingUntilSomethingIsTaken) {
  {
    const Trash trash(place_, root_.get(), root_path_, "delete");
    EXPECT_EQ(trash.batch(), "");
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "state"));
}

TEST_F(TrashTest, AFileThatIsTakenLiesInTheBatchForTheOwnerAlone) {
  scratch_.write("root/a/b.txt", "content", 0644);
  Trash trash(place_, root_.get(), root_path_, "delete");
  const Fd directory = open_below("a");
  ASSERT_TRUE(trash.take(directory.get(), "b.txt", "a/b.txt"));
  EXPECT_EQ(trash.taken(), 1U);
  EXPECT_TRUE(is_batch_id(trash.batch()));
  EXPECT_EQ(in_batch(trash, "a/b.txt"), "content");
  EXPECT_FALSE(std::filesystem::exists(root_path_ + "/a/b.txt"));
  const std::string batch = scratch_ / ("state/trash/" + trash.batch());
  EXPECT_EQ(mode_of(batch), 0700U);
  EXPECT_EQ(mode_of(batch + "/info"), 0600U);
}

TEST_F(TrashTest, ALinkIsTakenItselfAndADirectoryWhole) {
  scratch_.write("outside", "outside");
  scratch_.write("root/dir/deep/file", "1");
  std::filesystem::create_symlink(scratch_ / "outside", root_path_ + "/link");
  Trash trash(place_, root_.get(), root_path_, "delete");
  ASSERT_TRUE(trash.take(root_.get(), "link", "link"));
  ASSERT_TRUE(trash.take(root_.get(), "dir", "dir"));
  EXPECT_EQ(scratch_.read("outside"), "outside");
  EXPECT_EQ(in_batch(trash, "dir/deep/file"), "1");
}

TEST_F(TrashTest, NamesThatLeadElsewhereAreRefusedAndTheEntryStays) {
  scratch_.write("root/file", "1");
  Trash trash(place_, root_.get(), root_path_, "delete");
  for (const char* bad : {"", "/file", "../file", "a/../../file", "a//file", "./file"}) {
    EXPECT_FALSE(trash.take(root_.get(), "file", bad)) << bad;
  }
  EXPECT_EQ(scratch_.read("root/file"), "1");
  EXPECT_EQ(trash.taken(), 0U);
}

TEST_F(TrashTest, OddNamesAreTaken) {
  const std::vector<std::string> names{"new\nline", "quo'te\"", "-rf",
                                       "*",         "\xff\xfe", std::string(255, 'n')};
  Trash trash(place_, root_.get(), root_path_, "delete");
  for (const std::string& name : names) {
    scratch_.write("root/" + name, name);
    ASSERT_TRUE(trash.take(root_.get(), name, name));
  }
  const auto batch = find_trash(place_, trash.batch());
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->entries, names.size());
}

TEST_F(TrashTest, ReplacingKeepsTheOldFileAndLeavesNoTemporary) {
  scratch_.write("root/file", "old", 0640);
  scratch_.write("root/.tmp", "new");
  Trash trash(place_, root_.get(), root_path_, "edit");
  ASSERT_TRUE(trash.replace(root_.get(), ".tmp", "file", "file"));
  EXPECT_EQ(scratch_.read("root/file"), "new");
  EXPECT_EQ(in_batch(trash, "file"), "old");
  EXPECT_FALSE(std::filesystem::exists(root_path_ + "/.tmp"));
}

TEST_F(TrashTest, ReplacingNothingIsARename) {
  scratch_.write("root/.tmp", "new");
  Trash trash(place_, root_.get(), root_path_, "edit");
  ASSERT_TRUE(trash.replace(root_.get(), ".tmp", "file", "file"));
  EXPECT_EQ(scratch_.read("root/file"), "new");
  EXPECT_EQ(trash.batch(), "");
}

TEST_F(TrashTest, AFileMayTakeTheNameOfADirectory) {
  scratch_.write("root/name/inner", "1");
  scratch_.write("root/.tmp", "new");
  Trash trash(place_, root_.get(), root_path_, "sync");
  ASSERT_TRUE(trash.replace(root_.get(), ".tmp", "name", "name"));
  EXPECT_EQ(scratch_.read("root/name"), "new");
  EXPECT_EQ(in_batch(trash, "name/inner"), "1");
}

TEST_F(TrashTest, ABatchThatIsStillBeingFilledIsNotRestored) {
  scratch_.write("root/dir/file", "first");
  Trash trash(place_, root_.get(), root_path_, "sync");
  {
    const Fd directory = open_below("dir");
    scratch_.write("root/dir/.tmp", "second");
    ASSERT_TRUE(trash.replace(directory.get(), ".tmp", "file", "dir/file"));
  }
  ASSERT_TRUE(trash.take(root_.get(), "dir", "dir"));
  EXPECT_EQ(trash.taken(), 2U);
  const auto batch = find_trash(place_, trash.batch());
  ASSERT_TRUE(batch);
  EXPECT_FALSE(restore_trash(place_, *batch, {})) << "it is still being filled";
}

TEST_F(TrashTest, ADirectoryThatWasTakenGetsNothingElsePutIntoIt) {
  scratch_.write("root/dir/one", "1");
  std::string id;
  {
    Trash trash(place_, root_.get(), root_path_, "sync");
    ASSERT_TRUE(trash.take(root_.get(), "dir", "dir"));
    scratch_.write("root/dir/two", "2");
    const Fd directory = open_below("dir");
    ASSERT_TRUE(trash.take(directory.get(), "two", "dir/two"));
    id = trash.batch();
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_ / ("state/trash/" + id + "/files/dir/two")));
  EXPECT_EQ(scratch_.read("state/trash/" + id + "/files.1/dir/two"), "2");
}

TEST_F(TrashTest, TheMissingEntryIsNamedAndLeavesNoBatch) {
  {
    Trash trash(place_, root_.get(), root_path_, "delete");
    const auto taken = trash.take(root_.get(), "nothing", "nothing");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, Errc::NotFound);
  }
  EXPECT_TRUE(list_trash(place_)->empty());
}

TEST_F(TrashTest, AnotherFileSystemHasATrashOfItsOwn) {
  const auto problem = yonder::testing::with_private_mounts([&]() -> std::string {
    if (!yonder::testing::mount_tmpfs(root_path_, "size=1m")) return "mount";
    scratch_.write("root/file", "1");
    const Fd root(::open(root_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string id;
    {
      Trash trash(place_, root.get(), root_path_, "delete");
      if (!trash.take(root.get(), "file", "file")) return "take";
      id = trash.batch();
    }
    if (scratch_.read("root/" + own_trash_name() + "/" + id + "/files/file") != "1")
      return "not there";
    const auto batch = find_trash(place_, id);
    if (!batch) return "not found";
    if (batch->root != root_path_) return batch->root;
    if (!restore_trash(place_, *batch, {})) return "restore";
    return scratch_.read("root/file") == "1" ? "" : "not back";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(TrashTest, ATrashThatIsALinkIsNotFollowed) {
  const auto problem = yonder::testing::with_private_mounts([&]() -> std::string {
    if (!yonder::testing::mount_tmpfs(root_path_, "size=1m")) return "mount";
    scratch_.write("root/file", "1");
    std::filesystem::create_directories(root_path_ + "/elsewhere");
    std::filesystem::create_symlink("elsewhere", root_path_ + "/" + own_trash_name());
    const Fd root(::open(root_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    Trash trash(place_, root.get(), root_path_, "delete");
    if (!trash.take(root.get(), "file", "file")) return "not taken";
    if (!std::filesystem::is_empty(root_path_ + "/elsewhere")) return "followed";
    return find_trash(place_, trash.batch()) ? "" : "not found again";
  });
  EXPECT_EQ(problem, "");
}

TEST(TrashName, IsOfOneUserOrWithoutAUserAsItWasOnce) {
  for (const char* name : {".yonder-trash", ".yonder-trash-0", ".yonder-trash-1000-abcdefgh"}) {
    EXPECT_TRUE(is_trash_name(name)) << name;
  }
  for (const char* name : {"", ".yonder", ".yonder-trashes", ".yonder-trash-", ".yonder-trash-x",
                           ".yonder-trash-1x", "x.yonder-trash"}) {
    EXPECT_FALSE(is_trash_name(name)) << name;
  }
}

// As in a directory that all may write to: another user was there first, and keeps the name.
TEST_F(TrashTest, ATrashOfAnotherUserLocksNobodyOutOfADirectoryThatIsShared) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  const std::string theirs = root_path_ + "/" + own_trash_name();
  ASSERT_EQ(::mkdir(theirs.c_str(), 0700), 0);
  ASSERT_EQ(::chown(theirs.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::mkdir((root_path_ + "/.yonder-trash").c_str(), 0700), 0);
  ASSERT_EQ(::chown((root_path_ + "/.yonder-trash").c_str(), 65534, 65534), 0);
  scratch_.write("state/trash", "no directory");
  for (int i = 0; i < 2; ++i) {
    scratch_.write("root/file", "mine");
    Trash trash(place_, root_.get(), root_path_, "delete");
    const auto taken = trash.take(root_.get(), "file", "file");
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_FALSE(std::filesystem::exists(root_path_ + "/file"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(theirs));
}

TEST_F(TrashTest, ABatchUnderTheOldNameIsStillFoundAndRestored) {
  const std::string id = "20260101T000000-abcd";
  scratch_.write("root/.yonder-trash/" + id + "/info",
                 "yonder-trash 1\nwhy sync\ncreated_ms 1000\nroot /elsewhere");
  scratch_.write("root/.yonder-trash/" + id + "/files/f", "old");
  const auto batches = list_trash(place_, root_path_);
  ASSERT_EQ(batches->size(), 1U);
  EXPECT_EQ(batches->at(0).root, root_path_);
  ASSERT_TRUE(restore_trash(place_, batches->at(0), {}));
  EXPECT_EQ(scratch_.read("root/f"), "old");
}

// A root's own trash, of which nothing is written down anywhere.
TEST_F(TrashTest, ATrashInTheRootIsCollectedWithoutAStateDirectory) {
  const TrashPlace nowhere{};
  std::string old;
  for (int i = 0; i < 2; ++i) {
    scratch_.write("root/f", "x");
    Trash trash(nowhere, root_.get(), root_path_, "sync");
    ASSERT_TRUE(trash.take(root_.get(), "f", "f"));
    if (i == 0) old = scratch_ / ("root/" + own_trash_name() + "/" + trash.batch());
  }
  scratch_.write("root/" + own_trash_name() + old.substr(old.find_last_of('/')) + "/info",
                 "yonder-trash 1\nwhy sync\ncreated_ms 1000\nroot " + root_path_);
  ASSERT_EQ(list_trash(nowhere, root_path_)->size(), 2U);
  collect_trash_sometimes(nowhere, root_path_);
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_EQ(list_trash(nowhere, root_path_)->size(), 1U);
}

}  // namespace
}  // namespace yonder::tree
