#include "tree/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scratch_test.h"

namespace yonder::tree {
namespace {

using testing::Scratch;

TEST(Beneath, OnlyPlainRelativePathsPass) {
  for (const char* good : {"a", "a/b", ".a", "..a", "a..", "...", "-", "*", "a\nb", "\xFF"}) {
    EXPECT_TRUE(check_relative(good)) << good;
  }
  for (const std::string bad :
       {"", "/", "/a", ".", "..", "a/..", "../a", "a/../b", "a//b", "a/", "./a", "a/."}) {
    EXPECT_FALSE(check_relative(bad)) << bad;
  }
  EXPECT_FALSE(check_relative(std::string_view("a\0b", 3)));
  EXPECT_TRUE(check_relative(std::string(255, 'n')));
  EXPECT_FALSE(check_relative("a/" + std::string(256, 'n')));
}

class BeneathTest : public ::testing::Test {
 protected:
  BeneathTest() : root_(::open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  Scratch scratch_;
  Fd root_;
};

TEST_F(BeneathTest, ALinkIsNoDirectory) {
  ASSERT_EQ(::symlink("/tmp", (scratch_ / "out").c_str()), 0);
  ::mkdir((scratch_ / "in").c_str(), 0700);
  ASSERT_EQ(::symlink("../..", (scratch_ / "in/up").c_str()), 0);
  EXPECT_EQ(open_directory_beneath(root_.get(), "out").error().code, Errc::Conflict);
  EXPECT_EQ(open_directory_beneath(root_.get(), "in/up").error().code, Errc::Conflict);
  EXPECT_FALSE(Directories(root_.get()).open_or_make("out/new"));
  EXPECT_TRUE(open_directory_beneath(root_.get(), "in"));
}

TEST_F(BeneathTest, WhatIsMissingIsMadeForTheOwnerAlone) {
  Directories directories(root_.get());
  EXPECT_EQ(directories.open("a/b").error().code, Errc::NotFound);
  ASSERT_TRUE(directories.open_or_make("a/b/c"));
  ASSERT_TRUE(directories.open_or_make("a/b/c/d"));
  EXPECT_EQ(directories.made(), 4U);
  struct stat info {};
  ASSERT_EQ(::stat((scratch_ / "a/b/c/d").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  EXPECT_TRUE(directories.open("a"));
  EXPECT_FALSE(directories.open("a/bc"));
}

// The directory that was opened stays the one that was meant.
TEST_F(BeneathTest, ADirectorySwappedForALinkLeadsNowhereElse) {
  Directories directories(root_.get());
  const auto found = directories.open_or_make("a/b");
  ASSERT_TRUE(found);
  const int kept = *found;
  Scratch elsewhere;
  ASSERT_EQ(::rename((scratch_ / "a").c_str(), (scratch_ / "moved").c_str()), 0);
  ASSERT_EQ(::symlink(elsewhere.path().c_str(), (scratch_ / "a").c_str()), 0);
  const Fd made(::openat(kept, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_TRUE(made);
  EXPECT_EQ(::access((scratch_ / "moved/b/file").c_str(), F_OK), 0);
  directories.forget();
  EXPECT_FALSE(directories.open_or_make("a/b"));
}

TEST_F(BeneathTest, AFileInTheWayIsNamed) {
  scratch_.write("a", "");
  const auto found = Directories(root_.get()).open_or_make("a/b");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "'a' is not a directory");
}

}  // namespace
}  // namespace yonder::tree
