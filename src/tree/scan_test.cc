#include "tree/scan.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/fd.h"
#include "base/scratch_test.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class ScanTest : public ::testing::Test {
 protected:
  Listing scan_all(ScanOptions options = {}) const {
    Listing all;
    const Fd root(::open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    options.rules = &rules_;
    const auto done =
        scan(root.get(), options,
             {.on_entry = [&](Entry&& e) { all.entries.push_back(std::move(e)); },
              .on_skip = [&](Skip&& s) { all.skips.push_back(std::move(s)); },
              .on_temporary = [&](std::string&& p) { all.temporaries.push_back(std::move(p)); },
              .on_mount = [&](std::string&& p) { all.mounts.push_back(std::move(p)); }});
    EXPECT_TRUE(done);
    return all;
  }
  static std::vector<std::string> paths(const Listing& all) {
    std::vector<std::string> list;
    for (const auto& entry : all.entries) list.push_back(entry.path);
    return list;
  }
  testing::Scratch scratch_;
  RuleSet rules_;
};

TEST_F(ScanTest, ListsEverythingInOrder) {
  for (const std::string name : {"a/x", "a.b", "a-", "b"}) scratch_.write(name, "x");
  fs::create_symlink("nowhere", scratch_ / "l");
  const Listing all = scan_all();
  EXPECT_THAT(paths(all), ElementsAre("a", "a/x", "a-", "a.b", "b", "l"));
  for (std::size_t i = 1; i < all.entries.size(); ++i) {
    EXPECT_TRUE(comes_before(all.entries[i - 1].path, all.entries[i].path));
  }
  EXPECT_EQ(all.find("a.b")->size, 1U);
  EXPECT_EQ(all.find("l")->target, "nowhere");
  EXPECT_EQ(all.find("c"), nullptr);
}

TEST_F(ScanTest, ADirectoryThatIsMountedASecondTimeIsAMountPoint) {
  for (const char* name : {"data", "plain"}) fs::create_directory(scratch_ / name);
  const std::string data = scratch_ / "data";
  const auto problem = yonder::testing::with_private_mounts([&]() -> std::string {
    if (!scan_all().mounts.empty()) return "a mount before there is one";
    const std::string source = scratch_ / "plain";
    if (::mount(source.c_str(), data.c_str(), nullptr, MS_BIND, nullptr) != 0) return "mount";
    const auto mounts = scan_all().mounts;
    return mounts == std::vector<std::string>{"data"} ? "" : join(mounts, " ");
  });
  EXPECT_EQ(problem, "");
}

TEST_F(ScanTest, HashesAndTwinsAreFoundWhenAskedFor) {
  scratch_.write("a", "x");
  fs::create_hard_link(scratch_ / "a", scratch_ / "b");
  scratch_.write("c", "x");
  const Listing all = scan_all({.hash = true, .twins = true});
  EXPECT_EQ(all.entries[0].twins, all.entries[1].twins);
  EXPECT_NE(all.entries[0].twins, 0U);
  EXPECT_EQ(all.entries[2].twins, 0U);
  EXPECT_EQ(all.entries[2].hash, hash_of_bytes("x"));
}

TEST_F(ScanTest, NestedIgnoreFilesCountOnlyWhenAskedFor) {
  scratch_.write(".gitignore", "*.log\n");
  scratch_.write("a.log", "x");
  scratch_.write("d/.gitignore", "!keep.log\n/local\n");
  scratch_.write("d/keep.log", "x");
  scratch_.write("d/local", "x");
  scratch_.write("local", "x");
  EXPECT_EQ(scan_all().entries.size(), 7U);
  const Listing all = scan_all({.use_gitignore = true});
  EXPECT_THAT(paths(all), ElementsAre(".gitignore", "d", "d/.gitignore", "d/keep.log", "local"));
  EXPECT_EQ(all.skips.size(), 2U);
  EXPECT_EQ(all.skips[0].reason, SkipReason::Excluded);
}

TEST_F(ScanTest, AnIgnoreFileThatIsTooLongIsNamed) {
  scratch_.write(".gitignore", std::string(600UL * 1024, '#'));
  const Listing all = scan_all({.use_gitignore = true});
  ASSERT_EQ(all.skips.size(), 1U);
  EXPECT_EQ(all.skips[0].reason, SkipReason::BadRules);
}

TEST_F(ScanTest, AnIgnoreFileThatIsNoneOrALinkDoesNotHang) {
  ASSERT_EQ(::mkfifo((scratch_ / ".gitignore").c_str(), 0600), 0);
  fs::create_directories(scratch_ / "d/.gitignore");
  fs::create_directory(scratch_ / "e");
  fs::create_symlink("/dev/zero", scratch_ / "e/.gitignore");
  scratch_.write("a", "x");
  EXPECT_NE(scan_all({.use_gitignore = true}).find("a"), nullptr);
}

TEST_F(ScanTest, SpecialFilesTemporariesAndTheTrashAreNoEntries) {
  ASSERT_EQ(::mkfifo((scratch_ / "fifo").c_str(), 0600), 0);
  scratch_.write("d/.~yonder-abc-1", "x");
  scratch_.write(".yonder-trash/x", "x");
  scratch_.write("d/.yonder-trash-1000/x", "x");
  const Listing all = scan_all({.hash = true});
  EXPECT_THAT(paths(all), ElementsAre("d"));
  ASSERT_EQ(all.skips.size(), 1U);
  EXPECT_EQ(all.skips[0].detail, "a named pipe");
  EXPECT_THAT(all.temporaries, ElementsAre("d/.~yonder-abc-1"));
}

TEST_F(ScanTest, WhatCannotBeReadIsNamedAndUnknown) {
  scratch_.write("open/x", "x", 0644);
  scratch_.write("closed/x", "x");
  scratch_.write("secret", "x", 0);
  ASSERT_EQ(::chmod((scratch_ / "closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((scratch_ / "open").c_str(), 0755), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(9);
    const Listing all = scan_all({.hash = true});
    const auto unreadable = [&](const std::string& path) {
      return std::any_of(all.skips.begin(), all.skips.end(), [&](const Skip& skip) {
        return skip.path == path && skip.reason == SkipReason::Unreadable;
      });
    };
    const bool right = all.skips.size() == 2 && unreadable("closed") && unreadable("secret") &&
                       all.find("closed") != nullptr;
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(ScanTest, ADepthThatOnlyAnEnemyMakesIsNamed) {
  Fd at(::open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 1200; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "d", 0700), 0);
    at = Fd(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  const Listing all = scan_all();
  ASSERT_EQ(all.skips.size(), 1U);
  EXPECT_EQ(all.skips[0].reason, SkipReason::Unreadable);
  EXPECT_TRUE(all.skips[0].is_directory);
}

TEST_F(ScanTest, CanBeStoppedWithinADirectory) {
  for (int i = 0; i < 10; ++i) scratch_.write(concat("f", i), "x");
  const Fd root(::open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int asked = 0;
  const auto done = scan(root.get(), {},
                         {.on_entry = [](Entry&&) {},
                          .on_skip = [](Skip&&) {},
                          .stopped = [&] { return ++asked > 3; }});
  EXPECT_EQ(done.error().code, Errc::Cancelled);
}

}  // namespace
}  // namespace yonder::tree
