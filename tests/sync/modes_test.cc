// Permissions: whose they are, and what becomes of them when either end changes them.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <filesystem>

#include "base/cancel.h"
#include "base/text.h"
#include "sync/fixture.h"
#include "tree/extended_attributes.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

class Modes : public SyncTest {
 protected:
  static void chmod(const std::string& path, mode_t mode) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0) << path;
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777U;
  }
  static void touch(const std::string& path, time_t seconds) {
    const std::array<timespec, 2> times{timespec{seconds, 5}, timespec{seconds, 5}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  }
  std::size_t planned_modes() {
    SyncRequest request = push_request();
    request.dry_run = true;
    const auto report = run(request);
    EXPECT_TRUE(report);
    std::size_t count = 0;
    for (const Action& action : report->plan.directories) count += action.changes_mode ? 1U : 0U;
    return count;
  }
};

TEST_F(Modes, OfDirectoriesThatASyncDidNotMakeStay) {
  write(here("shared/new"), "one");
  write(here(".ssh/config"), "one");
  chmod(here("shared"), 0700);
  chmod(here(".ssh"), 0775);
  fs::create_directory(there("shared"));
  fs::create_directory(there(".ssh"));
  chmod(there("shared"), 02775);
  chmod(there(".ssh"), 0700);
  EXPECT_EQ(planned_modes(), 0U);
  for (int again = 0; again < 3; ++again) {
    const SyncReport report = push({.default_rules = false});
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.attributes_set, 0U);
    EXPECT_EQ(mode_of(there("shared")), 02775U);
    EXPECT_EQ(mode_of(there(".ssh")), 0700U);
    write(here("shared/new"), concat("again ", again));
  }
  pull({.default_rules = false});
  EXPECT_EQ(mode_of(here("shared")), 0700U);
  EXPECT_EQ(mode_of(here(".ssh")), 0775U);
}

TEST_F(Modes, OfADirectoryThatASyncMadeFollowTheSourceAndAreInThePlan) {
  write(here("d/e/f"), "one");
  chmod(here("d/e"), 0750);
  push();
  EXPECT_EQ(mode_of(there("d/e")), 0750U);
  chmod(here("d"), 0711);
  chmod(here("d/e"), 0700);
  EXPECT_EQ(planned_modes(), 2U);
  EXPECT_EQ(mode_of(there("d")), 0755U);
  const SyncReport report = push();
  EXPECT_EQ(report.attributes_set, 2U);
  EXPECT_EQ(mode_of(there("d")), 0711U);
  EXPECT_EQ(mode_of(there("d/e")), 0700U);
  EXPECT_EQ(push().attributes_set, 0U);
}

TEST_F(Modes, ChangedInTheTargetStayAndComeBackWithAPull) {
  write(here("d/f"), "one");
  write(here("g"), "one");
  push();
  chmod(there("d"), 0700);
  chmod(there("d/f"), 0755);
  chmod(there("g"), 0600);
  write(here("g"), "second");  // its contents go, its mode stays
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(push().complete());
    EXPECT_EQ(mode_of(there("d")), 0700U);
    EXPECT_EQ(mode_of(there("d/f")), 0755U);
    EXPECT_EQ(mode_of(there("g")), 0600U);
  }
  EXPECT_EQ(read(there("g")), "second");
  EXPECT_EQ(pull().attributes_set, 3U);
  EXPECT_EQ(difference(), "");
  chmod(here("d/f"), 0640);
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(mode_of(there("d/f")), 0640U);
}

TEST_F(Modes, ChangedAtBothEndsAreAConflictUntilItIsDecided) {
  write(here("d/f"), "one");
  push();
  chmod(here("d"), 0711);
  chmod(there("d"), 0700);
  chmod(here("d/f"), 0755);
  chmod(there("d/f"), 0600);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(push().plan.counts.conflicts, 2U);
    EXPECT_EQ(pull().plan.counts.conflicts, 2U);
  }
  EXPECT_EQ(mode_of(there("d")), 0700U);
  EXPECT_EQ(mode_of(here("d/f")), 0755U);
  const SyncReport report = push({.on_conflict = ConflictChoice::KeepLocal});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.overruled, 2U);
  EXPECT_EQ(mode_of(there("d")), 0711U);
  EXPECT_EQ(mode_of(there("d/f")), 0755U);
  EXPECT_TRUE(pull().complete());
  EXPECT_EQ(difference(), "");
}

// Between the look at the target and what is done there.
TEST_F(Modes, ChangedInTheTargetWhileTheSyncRunsStay) {
  const std::string large = noise(20 * kMiB, 1);
  const auto write_all = [&](const std::string& text) {
    for (const char* name : {"small", "d/f", "e/f", "only mode"}) write(here(name), text);
    write(here("large"), text + large);
  };
  write_all("one");
  push();
  write_all("second");
  touch(here("only mode"), 1700000000);
  write(here("only mode"), "one");
  chmod(here("e"), 0750);
  bool changed = false;
  const SyncHooks hooks{.on_plan = [&](const Plan&) {
    const std::vector<std::string> names{"small", "large", "only mode", "d"};
    for (const auto& name : names) chmod(there(name), name == "d" ? 0700 : 0600);
    chmod(there("e"), 0711);
    changed = true;
    return Result<void>();
  }};
  const auto report = run(push_request(), hooks);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(changed);
  EXPECT_THAT(report->failed, IsEmpty());
  EXPECT_EQ(read(there("small")), "second");
  EXPECT_EQ(read(there("large")), "second" + large);
  for (const char* name : {"small", "large", "only mode"}) {
    EXPECT_EQ(mode_of(there(name)), 0600U) << name;
  }
  EXPECT_EQ(mode_of(there("d")), 0700U);
  // Changed at both ends.
  EXPECT_EQ(mode_of(there("e")), 0711U);
  EXPECT_EQ(report->plan.counts.conflicts, 1U);
}

// Without the list, the mode of the file would let its whole group read it.
TEST_F(Modes, AnAccessControlListInTheTargetStaysOnWhatIsReplaced) {
  using Who = tree::AccessEntry::Who;
  const std::string list = tree::access_list(
      {{Who::Owner, 6}, {Who::User, 4, 12345}, {Who::Group, 0}, {Who::Mask, 4}, {Who::Others, 0}});
  const auto list_of = [](const std::string& path) {
    std::string value(1024, '\0');
    const ssize_t n =
        ::getxattr(path.c_str(), tree::kAccessList.data(), value.data(), value.size());
    value.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return value;
  };
  for (const char* name : {"small", "large"}) {
    write(here(name), name + noise(*name == 'l' ? 20 * kMiB : 10, 1), 0600);
  }
  push();
  for (const char* name : {"small", "large"}) {
    if (::setxattr(there(name).c_str(), tree::kAccessList.data(), list.data(), list.size(), 0) !=
        0) {
      GTEST_SKIP() << "this file system has no access control lists";
    }
    write(here(name), name + noise(*name == 'l' ? 20 * kMiB : 10, 2), 0600);
  }
  EXPECT_TRUE(push().complete());
  for (const char* name : {"small", "large"}) {
    EXPECT_EQ(read(there(name)), read(here(name)));
    EXPECT_EQ(mode_of(there(name)), 0640U) << "the bits of the group are the mask";
    EXPECT_EQ(list_of(there(name)), list);
  }
}

TEST_F(Modes, OfDirectoriesThatAFirstSyncHasBegunAreSetByTheNext) {
  write(here("d/large"), noise(6 * kMiB, 1));
  chmod(here("d"), 0555);
  deploy();
  set_ways({cut_to(3 * kMiB), "sh"});
  const CancelSource cancel;
  const SyncHooks hooks{.cancel = cancel.token(), .on_note = [&](const std::string& note) {
                          if (note.find("lost") != std::string::npos) cancel.cancel();
                        }};
  EXPECT_FALSE(run(push_request(), hooks));
  ASSERT_TRUE(fs::exists(there("d")));
  set_ways({"sh"});
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(difference(), "");
}

TEST_F(Modes, ATouchOrTheSameNewContentsAreNoConflict) {
  write(here("touched"), "one");
  write(here("changed"), "one");
  write(here("untouched"), "one");
  push();
  touch(there("touched"), 2000000000);
  write(here("changed"), "two");
  write(there("changed"), "two");
  touch(there("changed"), 2000000000);
  write(here("new"), "three");
  write(there("new"), "three");
  touch(there("new"), 2000000000);
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_THAT(report.plan.left, IsEmpty());
  EXPECT_EQ(report.files_sent, 0U);
  EXPECT_EQ(report.attributes_set, 3U);
  EXPECT_EQ(difference(), "");
}

}  // namespace
}  // namespace yonder::sync
