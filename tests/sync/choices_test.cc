// What a sync says before it does something grave, and after somebody has decided.
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Choices : public SyncTest {
 protected:
  SyncReport dry(SyncRequest request) {
    request.dry_run = true;
    auto report = run(request);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : SyncReport{};
  }
  // Changed at both ends since the last sync.
  void make_conflict() {
    write(here("a"), "one");
    push();
    write(here("a"), "ours!");
    write(there("a"), "theirs");
  }
};

TEST_F(Choices, ADryRunShowsTheRemovalsThatNeedANumber) {
  write(here("a"), "one");
  for (int i = 0; i < 25; ++i) write(there(concat("old", i)), "x");
  SyncRequest request = push_request();
  request.options.delete_extras = true;
  ASSERT_FALSE(run(request));
  const SyncReport report = dry(request);
  EXPECT_EQ(report.plan.counts.removals(), 25U);
  EXPECT_EQ(report.plan.needs_confirm, 25U);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("would need confirm_delete=25")));
  request.options.confirm_delete = 25;
  EXPECT_THAT(dry(request).warnings, IsEmpty());
  EXPECT_EQ(run(request)->files_removed, 25U);
}

TEST_F(Choices, ADryRunSaysWhatWouldBeRefused) {
  write(there("a"), "one");
  SyncRequest request = push_request();
  request.options.delete_extras = true;
  const SyncReport report = dry(request);
  EXPECT_EQ(report.plan.counts.removals(), 1U);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("the source is empty")));
  EXPECT_FALSE(run(request));
}

TEST_F(Choices, ASingleFileHasNoExtras) {
  write(here("a"), "one");
  SyncRequest request = push_request();
  request.local_path = here("a");
  request.remote_path = base_ + "/home/a";
  request.options.delete_extras = true;
  const auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->warnings, Contains(HasSubstr("does nothing for a single file")));
}

TEST_F(Choices, WhatWasKeptOnDemandIsNoConflict) {
  make_conflict();
  const SyncReport report = push({.on_conflict = ConflictChoice::KeepRemote});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.plan.counts.kept, 1U);
  EXPECT_EQ(read(there("a")), "theirs");
  EXPECT_FALSE(push().complete());  // that was an answer for one sync
}

TEST_F(Choices, WhatWasReplacedOnDemandIsCountedAndKept) {
  make_conflict();
  const SyncReport report = push({.on_conflict = ConflictChoice::KeepLocal});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.overruled, 1U);
  EXPECT_EQ(report.files_replaced, 1U);
  EXPECT_EQ(report.trash_batches.size(), 1U);
}

TEST_F(Choices, BothSaysWhatTheCopyIsCalled) {
  make_conflict();
  const SyncReport report = push({.on_conflict = ConflictChoice::Both});
  EXPECT_TRUE(report.complete());
  ASSERT_EQ(report.conflict_copies.size(), 1U);
  EXPECT_EQ(report.conflict_copies[0].path, "a");
  EXPECT_EQ(read(there(report.conflict_copies[0].copy)), "theirs");
  EXPECT_EQ(read(there("a")), "ours!");
}

TEST_F(Choices, BothKeepsTheTargetsVersionOfAFileWithTheLongestName) {
  const std::string name(255, 'n');
  write(here(name), "one");
  EXPECT_TRUE(push().complete());
  write(here(name), "ours!");
  write(there(name), "theirs");
  const SyncReport report = push({.on_conflict = ConflictChoice::Both});
  EXPECT_TRUE(report.complete());
  ASSERT_EQ(report.conflict_copies.size(), 1U);
  EXPECT_EQ(read(there(report.conflict_copies[0].copy)), "theirs");
  EXPECT_EQ(read(there(name)), "ours!");
}

TEST_F(Choices, AFailureSaysAtWhichEndAndNamesTheFileOnce) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  fs::create_directory(there("closed"));  // root's: whose owner we are we would open to ourselves
  const std::string problem = as_nobody([&]() -> std::string {
    write(here("secret"), "x", 0000);
    const auto mine = run(push_request());
    if (!mine || mine->complete()) return "a push of what cannot be read";
    if (!mine->failed.empty()) {
      EXPECT_FALSE(mine->failed[0].over_there);
      EXPECT_THAT(mine->failed[0].message, HasSubstr("Permission denied"));
      EXPECT_THAT(mine->failed[0].message, ::testing::Not(HasSubstr("secret")));
    }
    fs::remove(here("secret"));
    write(here("closed/a"), "x");
    const auto theirs = run(push_request());
    if (!theirs) return theirs.error().message;
    if (theirs->failed.empty()) return "a push into what cannot be written";
    EXPECT_TRUE(theirs->failed[0].over_there);
    return "";
  });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace yonder::sync
