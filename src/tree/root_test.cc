#include "tree/root.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/scratch_test.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;

TEST(AbsolutePath, KnowsHomeAndTheBase) {
  EXPECT_EQ(*absolute_path("~", "", "/h"), "/h");
  EXPECT_EQ(*absolute_path("~/x", "/b", "/h"), "/h/x");
  EXPECT_EQ(*absolute_path("/x", "/b", "/h"), "/x");
  EXPECT_EQ(*absolute_path("x", "/b", "/h"), "/b/x");
  EXPECT_EQ(*absolute_path("x", "~/b", "/h"), "/h/b/x");
  EXPECT_EQ(*absolute_path("x", "", "/h"), "/h/x");
  EXPECT_EQ(*absolute_path(".", "/b", "/h"), "/b");
  EXPECT_EQ(*absolute_path("./~x", "/b", "/h"), "/b/~x");
  for (const char* path : {"~", "~/x", "x", ".", ""}) {
    EXPECT_FALSE(absolute_path(path, "", "")) << path << " without a home";
    EXPECT_FALSE(absolute_path("x", path[0] == '\0' ? "~" : path, "")) << path;
  }
  EXPECT_EQ(*absolute_path("x", "/b", ""), "/b/x");
  EXPECT_FALSE(absolute_path("~root/x", "", "/h"));
  EXPECT_FALSE(absolute_path(std::string("a\0b", 3), "", "/h"));
}

class RootTest : public ::testing::Test {
 protected:
  RootTest() : base_(fs::canonical(scratch_.path()).string()) {
    scratch_.write("dir/file", "x");
    fs::create_symlink("dir", scratch_ / "link");
  }
  Result<Root> find(const std::string& path, Role role, const std::string& file = "") const {
    return Root::find({.path = path, .base = base_, .file = file, .role = role}, base_);
  }
  testing::Scratch scratch_;
  std::string base_;
};

TEST_F(RootTest, ATargetSaysWhatPreciousDirectoryItHolds) {
  fs::create_directories(scratch_ / "users/me/.state/own");
  fs::create_directories(scratch_ / "elsewhere/real");
  fs::create_symlink("../../elsewhere/real", scratch_ / "users/me/moved");
  const std::string home = base_ + "/users/me";
  const auto holds = [&](const std::string& path, Role role = Role::Target) {
    return Root::find({.path = path,
                       .base = base_,
                       .role = role,
                       .precious = {home + "/.state/own", home + "/moved"}},
                      home)
        ->state()
        .holds;
  };
  EXPECT_EQ(holds("users/me"), home);
  EXPECT_EQ(holds("users"), home);
  EXPECT_EQ(holds("."), home);
  EXPECT_EQ(holds("users/me/.state"), home + "/.state/own");
  EXPECT_EQ(holds("users/me/.state/own"), home + "/.state/own");
  EXPECT_EQ(holds("elsewhere"), home + "/moved");
  EXPECT_EQ(holds("dir"), "");
  EXPECT_EQ(holds("users/me/new"), "");
  EXPECT_EQ(holds("users", Role::Source), "");
}

TEST_F(RootTest, ADirectoryThatBecameALinkIsNotMadeThrough) {
  auto root = find("new/place", Role::Target);
  ASSERT_TRUE(root);
  fs::create_directory_symlink(scratch_ / "dir", scratch_ / "new");
  EXPECT_FALSE(root->make());
  EXPECT_FALSE(fs::exists(scratch_ / "dir/place"));
}

TEST_F(RootTest, ADirectoryIsItself) {
  for (const std::string path : {"dir", "dir/", "./dir", "link", "link/../dir"}) {
    const auto root = find(path, Role::Source);
    ASSERT_TRUE(root) << path;
    EXPECT_EQ(root->state().path, base_ + "/dir");
    EXPECT_EQ(root->state().file, "");
    EXPECT_TRUE(root->exists());
  }
}

TEST_F(RootTest, AFileIsOneOfItsDirectory) {
  const auto root = find("link/file", Role::Source);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->state().path, base_ + "/dir");
  EXPECT_EQ(root->state().file, "file");
  EXPECT_FALSE(root->state().is_directory);
}

TEST_F(RootTest, AFileGoesIntoADirectoryOrUnderTheNameGiven) {
  EXPECT_EQ(find("dir", Role::Target, "new")->state().file, "new");
  EXPECT_EQ(find("dir/other", Role::Target, "new")->state().file, "other");
  EXPECT_EQ(find("dir/file", Role::Target, "new")->state().file, "file");
  const auto fresh = find("fresh/", Role::Target, "new");
  EXPECT_EQ(fresh->state().path, base_ + "/fresh");
  EXPECT_EQ(fresh->state().file, "new");
}

TEST_F(RootTest, ADirectoryCannotGoWhereAFileIs) {
  EXPECT_EQ(find("dir/file", Role::Target).error().code, Errc::Conflict);
  EXPECT_FALSE(find("dir/file/below", Role::Target));
}

TEST_F(RootTest, WhatIsMissingIsMadeOnlyWhenAskedFor) {
  auto root = find("new/deep/er", Role::Target);
  ASSERT_TRUE(root);
  EXPECT_FALSE(root->exists());
  EXPECT_FALSE(root->get());
  EXPECT_FALSE(fs::exists(base_ + "/new"));
  ASSERT_TRUE(root->make());
  EXPECT_TRUE(fs::is_directory(base_ + "/new/deep/er"));
}

TEST_F(RootTest, DotsInWhatIsMissingAndSpecialFilesAreRefused) {
  EXPECT_FALSE(find("missing/../dir", Role::Target));
  ASSERT_EQ(::mkfifo((base_ + "/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(find("fifo", Role::Source));
  EXPECT_FALSE(find("fifo", Role::Target, "x"));
}

}  // namespace
}  // namespace yonder::tree
