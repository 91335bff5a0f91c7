// What a sync remembers of itself, and of others, when it is asked again.
#include <fcntl.h>
#include <sys/stat.h>
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

class Records : public SyncTest {
 protected:
  static void set_time(const std::string& path, std::int64_t seconds, long nanoseconds = 0) {
    const timespec times[2] = {{0, UTIME_OMIT}, {seconds, nanoseconds}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
  // Somebody writes to it after each plan that was made.
  SyncHooks while_somebody_writes(const std::string& path, int times) {
    auto left = std::make_shared<int>(times);
    SyncHooks hooks;
    hooks.on_plan = [this, path, left](const Plan&) {
      if ((*left)-- > 0) write(path, concat("written ", *left, std::string(50, '!')));
      return Result<void>();
    };
    return hooks;
  }
};

TEST_F(Records, AConfirmedDeleteIsNotRefusedByItsOwnSecondRound) {
  write(here("growing"), "a");
  for (int i = 0; i < 30; ++i) write(there(concat("old", i)), "x");
  SyncRequest request = push_request();
  request.options.delete_extras = true;
  request.options.confirm_delete = 30;
  const auto report = run(request, while_somebody_writes(here("growing"), 1));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(report->files_removed, 30U);
  EXPECT_EQ(difference(), "");
}

TEST_F(Records, WhatAnEarlierRoundHasDoneIsToldWhenNoMoreMayBeRemoved) {
  write(here("growing"), "a");
  write(here("kept"), "k");
  for (int i = 0; i < 30; ++i) write(there(concat("old", i)), "x");
  SyncRequest request = push_request();
  request.options.delete_extras = true;
  request.options.confirm_delete = 30;
  int plans = 0;
  SyncHooks hooks;
  hooks.on_plan = [&](const Plan&) {
    if (++plans > 1) return Result<void>();
    write(here("growing"), "longer");
    // Whoever looks next finds more to remove than was confirmed.
    for (int i = 0; i < 40; ++i) write(there(concat("new", i)), "x");
    return Result<void>();
  };
  const auto report = run(request, hooks);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files_removed, 30U);
  EXPECT_THAT(report->warnings, Contains(HasSubstr("no more was removed")));
  EXPECT_TRUE(fs::exists(there("new7")));
}

TEST_F(Records, AFileThatWasChangedWithinASecondIsNotTakenForUnchanged) {
  for (const auto& [seconds, nanoseconds] :
       {std::pair{1700000001L, 0L}, std::pair{1700000001L, 900000000L},
        std::pair{1700000000L, 500000000L}}) {
    write(here("v"), "1111");
    set_time(here("v"), 1700000000);
    push();
    write(here("v"), "2222");
    set_time(here("v"), seconds, nanoseconds);
    const SyncReport report = push();
    EXPECT_EQ(read(there("v")), "2222") << seconds << "." << nanoseconds;
    EXPECT_EQ(report.files_sent, 1U);
  }
}

TEST_F(Records, AChangeOfOthersWithinASecondIsSeen) {
  write(here("v"), "1111");
  set_time(here("v"), 1700000000);
  push();
  write(there("v"), "9999");
  set_time(there("v"), 1700000001, 500000000);
  write(here("v"), "2222");
  EXPECT_EQ(push().plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("v")), "9999");
}

TEST_F(Records, AConflictStaysOneWhateverIsSyncedInBetween) {
  write(here("f"), "one");
  write(here("g"), "one");
  push();
  write(there("f"), "theirs");
  fs::remove(here("f"));
  write(here("g"), "changed");
  push();  // does not have it at all
  write(here("f"), "made anew");
  EXPECT_EQ(push().plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("f")), "theirs");
  fs::remove(here("f"));
  EXPECT_EQ(push({.delete_extras = true}).plan.counts.conflicts, 1U);
  EXPECT_TRUE(fs::exists(there("f")));
}

TEST_F(Records, AnAnswerThatCameToNothingIsGivenAnew) {
  write(here("f"), "one");
  push();
  write(here("f"), "ours, and longer");
  write(there("f"), "theirs");
  SyncRequest request = push_request();
  request.options.on_conflict = ConflictChoice::KeepLocal;
  const auto failed = run(request, while_somebody_writes(here("f"), 2));
  ASSERT_TRUE(failed) << failed.error().message;
  EXPECT_FALSE(failed->complete());
  EXPECT_EQ(push().plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("f")), "theirs");
}

TEST_F(Records, NothingIsSetAsideForAFileThatDoesNotArrive) {
  write(here("f"), "one");
  push();
  write(here("f"), "ours, and longer");
  write(there("f"), "theirs");
  SyncRequest request = push_request();
  request.options.on_conflict = ConflictChoice::Both;
  const auto report = run(request, while_somebody_writes(here("f"), 2));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->complete());
  EXPECT_THAT(report->conflict_copies, IsEmpty());
  EXPECT_EQ(read(there("f")), "theirs");
  EXPECT_EQ(std::distance(fs::directory_iterator(there()), fs::directory_iterator()), 1);
}

TEST_F(Records, WhatRulesHaveHiddenOnceIsStillKnown) {
  write(here("f.log"), "one");
  write(here("g"), "one");
  push();
  write(here("g"), "two!");
  push({.excludes = {"*.log"}});
  write(here("f.log"), "changed here only");
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.conflicts, 0U);
  EXPECT_EQ(read(there("f.log")), "changed here only");
  push({.excludes = {"*.log"}});
  write(there("f.log"), "changed there only");
  EXPECT_EQ(pull().plan.counts.conflicts, 0U);
  EXPECT_EQ(read(here("f.log")), "changed there only");
}

TEST_F(Records, WhatCouldNotBeReadIsNotTakenForSent) {
  const std::string problem = as_nobody([&]() -> std::string {
    write(here("secret"), "one");
    write(here("other"), "one");
    if (!push().complete()) return "the first push";
    write(here("secret"), "edited here", 0200);
    write(here("other"), "two");
    if (push().complete()) return "it claims to be complete";
    ::chmod(here("secret").c_str(), 0644);
    write(there("secret"), "edited there");
    if (pull().plan.counts.conflicts != 1) return "no conflict";
    return read(here("secret")) == "edited here" ? "" : "the edit is lost";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(Records, ACancelledPullRemovesNoMore) {
  write(there("a"), "a");
  for (int i = 0; i < 5; ++i) write(here(concat("old", i)), "x");
  const CancelSource cancel;
  SyncRequest request = pull_request();
  request.options.delete_extras = true;
  request.options.confirm_delete = 5;
  const auto report = run(request, {.cancel = cancel.token(), .on_plan = [&](const Plan&) {
                                      cancel.cancel();
                                      return Result<void>();
                                    }});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::Cancelled);
  EXPECT_TRUE(fs::exists(here("old0")));
}

TEST_F(Records, WhatWasClosedToItsOwnerIsOpenedAgain) {
  const std::string problem = as_nobody([&]() -> std::string {
    write(here("d/inside"), "one");
    write(here("f"), "one");
    if (!push().complete()) return "the first push";
    ::chmod(here("d").c_str(), 0);
    if (push().complete()) return "it claims to be complete";
    if (read(there("d/inside")) != "one") return "what cannot be read here was closed over there";
    ::chmod(here("d").c_str(), 0755);
    for (const mode_t closed : {0U, 0200U}) {
      ::chmod(there("d").c_str(), closed);
      ::chmod(there("f").c_str(), closed);
      const SyncOptions options{.on_conflict = ConflictChoice::KeepLocal};
      push(options);  // nobody could look into it before
      if (!push(options).complete()) return concat("closed with ", closed);
      if (picture(here()) != picture(there())) return "they differ";
    }
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(Records, ATargetIsKnownAgainThroughANewLink) {
  write(here("f"), "one");
  set_time(here("f"), 1700000000);
  EXPECT_TRUE(push().complete());
  fs::create_directory_symlink(there(), base_ + "/way");
  const auto push_to = [&](const std::string& path) {
    write(here("f"), concat("another ", path));
    write(there("f"), "of somebody else");
    set_time(there("f"), 1600000000);
    SyncRequest request = push_request();
    request.remote_path = path;
    return run(request);
  };
  const auto linked = push_to(base_ + "/way");
  ASSERT_TRUE(linked) << linked.error().message;
  EXPECT_FALSE(linked->complete());
  EXPECT_EQ(read(there("f")), "of somebody else");
  // Moved elsewhere, and a link left in its place.
  const std::string was = there();
  fs::remove(base_ + "/way");
  fs::rename(was, base_ + "/moved");
  fs::create_directory_symlink(base_ + "/moved", was);
  const auto moved = push_to(was);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_FALSE(moved->complete());
  EXPECT_EQ(read(there("f")), "of somebody else");
}

TEST_F(Records, AFileKeepsTheNameThatItWasAskedFor) {
  write(here("run-17.log"), "log");
  fs::create_symlink("run-17.log", here("latest.log"));
  SyncRequest request = push_request();
  request.local_path = here("latest.log");
  request.remote_path = there() + "/";
  const auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(read(there("latest.log")), "log");
  EXPECT_FALSE(fs::exists(there("run-17.log")));
}

TEST_F(Records, ATimeThatIsTooFarAwayDoesNotBecomeAnother) {
  use_memory();
  write(here("far"), "far");
  set_time(here("far"), 10413792000);  // the year 2300
  EXPECT_TRUE(push().complete());
  struct stat info {};
  ASSERT_EQ(::stat(there("far").c_str(), &info), 0);
  EXPECT_GT(info.st_mtim.tv_sec, 9000000000);
  EXPECT_EQ(push().files_sent, 0U);
}

TEST_F(Records, NamesThatYonderKeepsForItselfAreSaidToBeLeftOut) {
  write(here("a"), "a");
  write(here(".~yonder-notes"), "mine");
  const SyncReport report = push();
  ASSERT_EQ(report.plan.left.size(), 1U);
  EXPECT_EQ(report.plan.left[0].path, ".~yonder-notes");
  EXPECT_THAT(report.plan.left[0].detail, HasSubstr("Yonder's own"));
}

}  // namespace
}  // namespace yonder::sync
