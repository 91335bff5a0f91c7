#include "outpost/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "outpost/self.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StateCandidates, AreTheUsersOwnPlacesFirst) {
  EXPECT_THAT(state_candidates("/xdg", "/home/u", "7"),
              ElementsAre("/xdg/yonder", "/home/u/.local/state/yonder", "/var/tmp/yonder-7/state",
                          "/tmp/yonder-7/state", "/dev/shm/yonder-7/state"));
  EXPECT_THAT(
      state_candidates("relative", "", "7"),
      ElementsAre("/var/tmp/yonder-7/state", "/tmp/yonder-7/state", "/dev/shm/yonder-7/state"));
}

TEST(ClaimDirectory, MakesItAndClosesItToOthers) {
  const testing::Scratch scratch;
  ASSERT_TRUE(claim_directory(scratch / "a/b"));
  EXPECT_EQ(testing::mode_of(scratch / "a/b"), 0700U);
  ::chmod((scratch / "a/b").c_str(), 0777);
  ASSERT_TRUE(claim_directory(scratch / "a/b"));
  EXPECT_EQ(testing::mode_of(scratch / "a/b"), 0700U);
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "a/b"));
}

TEST(ClaimDirectory, RefusesWhatIsNotOurDirectory) {
  const testing::Scratch scratch;
  scratch.write("file", "");
  EXPECT_FALSE(claim_directory(scratch / "file"));
  std::filesystem::create_directory(scratch / "real");
  std::filesystem::create_symlink(scratch / "real", scratch / "link");
  EXPECT_FALSE(claim_directory(scratch / "link"));
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  ASSERT_EQ(::chown((scratch / "real").c_str(), 12345, 12345), 0);
  const auto claimed = claim_directory(scratch / "real");
  ASSERT_FALSE(claimed);
  EXPECT_THAT(claimed.error().message, HasSubstr("belongs to somebody else"));
}

TEST(ClaimDirectory, NoticesAReadOnlyFileSystem) {
  const testing::Scratch scratch;
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch.path(), "mode=700", MS_RDONLY)) return "mount";
    const auto claimed = claim_directory(scratch.path());
    return claimed ? "it was claimed" : "";
  });
  EXPECT_EQ(problem, "");
}

TEST(LookAround, TakesNoSharedPlaceWhoseParentBelongsToSomebodyElse) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    ::unsetenv("HOME");
    ::unsetenv("XDG_STATE_HOME");
    for (const char* path : {"/var/tmp", "/tmp", "/dev/shm"}) {
      if (!testing::mount_tmpfs(path, "mode=1777")) return concat("mount ", path);
    }
    const std::string trap = concat("/var/tmp/yonder-", ::geteuid());
    std::filesystem::create_directories(trap + "/state");
    if (::chown(trap.c_str(), 12345, 12345) != 0) return "chown";
    const auto around = look_around();
    return around.state_dir == concat("/tmp/yonder-", ::geteuid(), "/state") ? ""
                                                                             : around.state_dir;
  });
  EXPECT_EQ(problem, "");
}

TEST(LookAround, SaysWhyNoPlaceWorks) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    ::setenv("HOME", "/proc/nowhere", 1);
    ::unsetenv("XDG_STATE_HOME");
    for (const char* path : {"/var/tmp", "/tmp", "/dev/shm"}) {
      if (!testing::mount_tmpfs(path, "mode=1777", MS_RDONLY)) return concat("mount ", path);
    }
    const auto around = look_around();
    if (!around.state_dir.empty()) return around.state_dir;
    return split(around.state_problem, ';').size() == 4 ? "" : around.state_problem;
  });
  EXPECT_EQ(problem, "");
}

TEST(LookAround, KeepsThePlaceThatHoldsRecordsWhenItCannotBeWritten) {
  const testing::Scratch scratch;
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    ::setenv("HOME", scratch.path().c_str(), 1);
    ::unsetenv("XDG_STATE_HOME");
    const std::string state = scratch / ".local/state/yonder";
    if (!make_directories(state) || !testing::mount_tmpfs(state, "mode=0700", 0)) return "mount";
    if (look_around().state_dir != state) return "not chosen when it is empty";
    if (!make_directory(state + "/runs/r-abcdefghijklmnop")) return "mkdir";
    if (::mount(nullptr, state.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      return "remount";
    }
    const auto around = look_around();
    return around.state_dir == state ? "" : "moved to " + around.state_dir;
  });
  EXPECT_EQ(problem, "");
}

TEST(FindProgram, LooksInTheUsualPlacesAndThenInPath) {
  const testing::Scratch scratch;
  scratch.write("tool-of-ours", "", 0755);
  scratch.write("no-program", "", 0644);
  EXPECT_EQ(find_program("sh", ""), "/bin/sh");
  EXPECT_EQ(find_program("tool-of-ours", "/nowhere:" + scratch.path()), scratch / "tool-of-ours");
  EXPECT_EQ(find_program("no-program", scratch.path()), "");
  EXPECT_EQ(find_program("tool-of-ours", "relative:"), "");
}

TEST(HashOf, IsWhatXxh128sumPrints) {
  EXPECT_EQ(hash_of(""), "99aa06d3014798d86001c324468d497f");
}

TEST(IsWhole, ComparesTheRunningProgramWithItsHash) {
  const auto self = read_file("/proc/self/exe", 1024UL * 1024 * 1024);
  ASSERT_TRUE(self);
  EXPECT_FALSE(is_whole("99aa06d3014798d86001c324468d497f"));
  EXPECT_EQ(is_whole(hash_of(*self)), self->size() <= 64UL * 1024 * 1024);
}

}  // namespace
}  // namespace yonder::outpost
