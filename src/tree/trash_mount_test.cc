#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "tree/change_files.h"
#include "tree/mounts.h"
#include "tree/remove_tree.h"
#include "tree/trash.h"

namespace yonder::tree {
namespace {

using yonder::testing::Scratch;

// A directory "data" that is mounted a second time, on "root/a/mnt b": the device is the same.
class TrashMountTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("data/kept", "precious");
    scratch_.write("root/a/file", "x");
    std::filesystem::create_directories(scratch_ / "root/a/mnt b");
    point_ = scratch_ / "root/a/mnt b";
    if (::mount((scratch_ / "data").c_str(), point_.c_str(), nullptr, MS_BIND, nullptr) != 0) {
      point_.clear();
      GTEST_SKIP() << "only root can mount";
    }
  }
  void TearDown() override {
    if (!point_.empty()) ::umount2(point_.c_str(), MNT_DETACH);
  }
  Fd open_root() const {
    return Fd(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  Scratch scratch_;
  std::string point_;
  TrashPlace place_{scratch_ / "state"};
};

TEST_F(TrashMountTest, ATreeThatHoldsAMountIsNotDeletedAndTheMountIsNamed) {
  const auto reply =
      delete_file({.path = scratch_ / "root/a", .recursive = true}, scratch_ / "home", place_);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::Conflict);
  EXPECT_NE(reply.error().message.find("a/mnt b"), std::string::npos) << reply.error().message;
  EXPECT_EQ(scratch_.read("root/a/file"), "x");
  EXPECT_EQ(scratch_.read("root/a/mnt b/kept"), "precious");
}

TEST_F(TrashMountTest, AFileDoesNotTakeTheNameOfATreeThatHoldsAMount) {
  scratch_.write("root/new", "new");
  const Fd root = open_root();
  Trash trash(place_, root.get(), scratch_ / "root", "sync");
  EXPECT_FALSE(trash.replace(root.get(), "new", "a", "a"));
  EXPECT_EQ(scratch_.read("root/a/mnt b/kept"), "precious");
  EXPECT_EQ(scratch_.read("root/new"), "new");
}

TEST_F(TrashMountTest, RemovalDoesNotReachBehindAMount) {
  const Fd root = open_root();
  EXPECT_FALSE(remove_tree(root.get(), "a"));
  EXPECT_EQ(scratch_.read("data/kept"), "precious");
}

TEST_F(TrashMountTest, CountingDoesNotReachBehindAMount) {
  scratch_.write("root/b/file", "y");
  const Fd root = open_root();
  Trash trash(place_, root.get(), scratch_ / "root", "delete");
  ASSERT_TRUE(trash.take(root.get(), "b", "b"));
  const std::string inside = scratch_ / ("state/trash/" + trash.batch() + "/files/b/late");
  std::filesystem::create_directories(inside);
  ASSERT_EQ(::mount((scratch_ / "data").c_str(), inside.c_str(), nullptr, MS_BIND, nullptr), 0);
  const auto batches = list_trash(place_);
  const auto paths = list_batch(batches->at(0), 100);
  ::umount2(inside.c_str(), MNT_DETACH);
  EXPECT_EQ(batches->at(0).entries, 2U);
  EXPECT_EQ(*paths, (std::vector<std::string>{"b/file", "b/late"}));
}

TEST_F(TrashMountTest, ABindMountOfTheSameDeviceIsAnotherMount) {
  const Fd root = open_root();
  const Fd mount(::open(point_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (mounted_on(root.get())->mount == 0) GTEST_SKIP() << "this kernel tells no mount ids";
  EXPECT_EQ(mounted_on(root.get())->device, mounted_on(mount.get())->device);
  EXPECT_NE(mounted_on(root.get())->mount, mounted_on(mount.get())->mount);
}

}  // namespace
}  // namespace yonder::tree
