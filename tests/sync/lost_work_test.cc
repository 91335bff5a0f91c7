// Ways in which somebody's work could be lost, or a report could claim what did not happen.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

void set_mtime(const std::string& path, const timespec& when) {
  const std::array<timespec, 2> times{when, when};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
}

timespec mtime_at(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0);
  return info.st_mtim;
}

TEST_F(SyncTest, NothingIsRemovedFromWhatHoldsAHomeDirectoryOrYondersOwn) {
  deploy();
  write(here("a"), "one");
  push();
  const auto far_state = concat(base_, "/home/.local/state");
  ASSERT_TRUE(fs::exists(far_state));
  // Elsewhere: what lies within the target is refused for that already.
  const testing::Scratch elsewhere;
  elsewhere.write("a", "one");
  SyncRequest request = push_request();
  request.local_path = elsewhere.path();
  request.options.delete_extras = true;
  for (const std::string& target :
       {base_, concat(base_, "/home"), far_state, concat(base_, "/home/.cache/yonder")}) {
    request.remote_path = target;
    const auto refused = run(request);
    ASSERT_FALSE(refused) << target;
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("is or holds")) << target;
  }
  SyncRequest back = pull_request();
  back.remote_path = elsewhere.path();
  back.options.delete_extras = true;
  for (const std::string& target : {base_, concat(base_, "/home"), concat(base_, "/state")}) {
    back.local_path = target;
    const auto refused = run(back);
    ASSERT_FALSE(refused) << target;
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("is or holds")) << target;
  }
}

TEST_F(SyncTest, AChangedFileWithTwoNamesIsUpdated) {
  write(here("a"), "one");
  fs::create_hard_link(here("a"), here("b"));
  const SyncOptions options{.hard_links = true};
  push(options);
  write(here("a"), "two, and longer");
  EXPECT_TRUE(push(options).complete());
  EXPECT_EQ(read(there("a")), "two, and longer");
  EXPECT_EQ(read(there("b")), "two, and longer");
  EXPECT_TRUE(fs::equivalent(there("a"), there("b")));
}

TEST_F(SyncTest, AModeIsNotSetOnOtherNamesOfAFile) {
  write(here("a"), "one");
  push();
  fs::create_hard_link(there("a"), scratch_ / "outside");
  ASSERT_EQ(::chmod(here("a").c_str(), 0600), 0);
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(testing::mode_of(there("a")), 0600U);
  EXPECT_EQ(testing::mode_of(scratch_ / "outside"), 0644U);
  EXPECT_EQ(read(there("a")), "one");
}

TEST_F(SyncTest, ASecondNameDoesNotBringWhatAConflictKept) {
  write(here("a"), "one");
  push();
  write(there("a"), "theirs, longer");
  write(here("a"), "mine");
  fs::create_hard_link(here("a"), here("b"));
  push({.hard_links = true});
  EXPECT_EQ(read(there("a")), "theirs, longer");
  EXPECT_EQ(read(there("b")), "mine");
}

TEST_F(SyncTest, ASecondNameOfAFileThatCouldNotBeSentIsNotClaimed) {
  write(here("a"), "one");
  push();
  write(here("a"), "second");
  fs::create_hard_link(here("a"), here("b"));
  SyncRequest request = push_request();
  request.options.hard_links = true;
  int plans = 0;
  const auto report =
      run(request, {.on_plan = [&](const Plan&) {
            write(here("a"), std::string(1000U + static_cast<unsigned>(++plans), 'x'));
            return Result<void>();
          }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->failed.size(), 2U);
  EXPECT_EQ(read(there("a")), "one");
  EXPECT_FALSE(fs::exists(there("b")));
}

TEST_F(SyncTest, ASameSizedEditInTheSameTickAfterTheCopyIsSeen) {
  push();  // from now on there is a link
  write(here("a"), "two");
  const timespec then = mtime_at(here("a"));
  // It ends when the clock has gone on by more than any tick: the time alone cannot tell any more.
  const auto long_after = [&] {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return (now.tv_sec - then.tv_sec) * 1000 + (now.tv_nsec - then.tv_nsec) / 1000000 > 50;
  };
  const auto report = run(push_request(), {.on_progress = [&](const Progress& progress) {
                            if (progress.phase != Phase::Finishing) return;
                            EXPECT_TRUE(testing::eventually(long_after));
                          }});
  ASSERT_TRUE(report);
  write(here("a"), "TWO");
  set_mtime(here("a"), then);
  push();
  EXPECT_EQ(read(there("a")), "TWO");
}

TEST_F(SyncTest, APushThatMetAConflictDoesNotLetAPullOverwriteMyEdit) {
  write(here("a"), "one");
  push();
  write(here("a"), "my edit");
  write(there("a"), "their edit, longer");
  write(here("b"), "goes through");
  EXPECT_EQ(push().plan.counts.conflicts, 1U);
  const SyncReport report = pull();
  EXPECT_EQ(report.plan.counts.conflicts, 1U);
  EXPECT_EQ(read(here("a")), "my edit");
}

TEST_F(SyncTest, APullThatMetAConflictDoesNotLetAPushOverwriteTheirEdit) {
  write(there("a"), "one");
  pull();
  write(here("a"), "my edit");
  write(there("a"), "their edit, longer");
  write(there("b"), "goes through");
  EXPECT_EQ(pull().plan.counts.conflicts, 1U);
  EXPECT_EQ(push().plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("a")), "their edit, longer");
}

TEST_F(SyncTest, WhatIsTheSameOnBothSidesIsNoConflictLater) {
  write(here("a"), "one");
  push();
  // Somebody brings the same new version to both, with its time.
  write(here("a"), "second");
  write(there("a"), "second");
  set_mtime(here("a"), {1000000000, 5});
  set_mtime(there("a"), {1000000000, 5});
  EXPECT_TRUE(push().complete());
  write(here("a"), "third version");
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(read(there("a")), "third version");
}

TEST_F(SyncTest, ASingleFileGoesUnderTheNameThatWasGiven) {
  write(here("a.txt"), "hello");
  write(there("a.txt"), "somebody else's");
  SyncRequest request = push_request();
  request.local_path = here("a.txt");
  request.remote_path = there("b.txt");
  auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(read(there("b.txt")), "hello");
  EXPECT_EQ(read(there("a.txt")), "somebody else's");
  request.options.delete_extras = true;
  write(here("a.txt"), "hello again");
  report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(read(there("b.txt")), "hello again");
  EXPECT_EQ(run(request)->files_sent, 0U);
}

TEST_F(SyncTest, ASingleFileIsPulledUnderTheNameThatWasGiven) {
  write(there("a.txt"), "hello");
  SyncRequest request = pull_request();
  request.local_path = here("b.txt");
  request.remote_path = there("a.txt");
  auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(read(here("b.txt")), "hello");
  EXPECT_FALSE(fs::exists(here("a.txt")));
  EXPECT_EQ(run(request)->files_sent, 0U);
}

TEST_F(SyncTest, AFileThatIsPulledByAnotherNameKeepsThatName) {
  write(there("logs/2026"), "hello");
  fs::create_symlink("logs/2026", there("current"));
  SyncRequest request = pull_request();
  request.remote_path = there("current");
  const auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(read(here("current")), "hello");
  EXPECT_FALSE(fs::exists(here("2026")));
  EXPECT_EQ(run(request)->files_sent, 0U);
}

TEST_F(SyncTest, ALargeSingleFileGoesUnderTheNameThatWasGivenBothWays) {
  const std::string content = noise(17UL * 1024 * 1024, 1);
  write(here("a"), content);
  SyncRequest request = push_request();
  request.local_path = here("a");
  request.remote_path = there("b");
  ASSERT_TRUE(run(request)->complete());
  EXPECT_TRUE(read(there("b")) == content);
  request = pull_request();
  request.remote_path = there("b");
  request.local_path = here("c");
  ASSERT_TRUE(run(request)->complete());
  EXPECT_TRUE(read(here("c")) == content);
}

TEST_F(SyncTest, ADirectoryThatStaysIsNotCountedAsRemoved) {
  write(here("a"), "one");
  write(there("old/kept.log"), "kept");
  write(there("old/b"), "b");
  const SyncReport report =
      push({.delete_extras = true, .confirm_delete = 1, .excludes = {"*.log"}});
  EXPECT_EQ(report.files_removed, 1U);
  EXPECT_EQ(report.directories_removed, 0U);
  EXPECT_TRUE(fs::exists(there("old/kept.log")));
}

TEST_F(SyncTest, WhatIsBelowADirectoryInTheWayOfAFileStays) {
  write(here("x"), "a file");
  write(here("y"), "another");
  write(there("x/inside"), "theirs");
  const SyncReport report = push({.delete_extras = true});
  EXPECT_EQ(report.plan.counts.in_the_way, 1U);
  EXPECT_EQ(read(there("x/inside")), "theirs");
  EXPECT_EQ(read(there("y")), "another");
}

TEST_F(SyncTest, SomethingSpecialInTheTargetIsInTheWay) {
  write(here("x"), "a file");
  write(here("d/inside"), "another");
  ASSERT_EQ(::mkfifo(there("x").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(there("d").c_str(), 0600), 0);
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.in_the_way, 3U);
  EXPECT_THAT(report.failed, IsEmpty());
}

TEST_F(SyncTest, APullNeverDeletesWhatTheFarIgnoreFileLeavesOut) {
  write(there("a"), "one");
  write(there(".gitignore"), "build/\n");
  write(here("build/result"), "mine");
  const SyncReport report = pull({.delete_extras = true, .use_gitignore = true});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(read(here("build/result")), "mine");
}

TEST_F(SyncTest, AFileThatShrinksWhileItsDifferenceIsSentFailsAlone) {
  use_memory();
  constexpr std::size_t kBig = 9UL * 1024 * 1024;  // so large that only the difference goes
  write(here("big"), noise(kBig, 1));
  push();
  write(here("big"), noise(kBig + 1, 2));
  write(here("other"), "other");
  slow_link();
  SyncRequest request = push_request();
  const auto report = run(request, {.on_plan = [&](const Plan& plan) {
                            if (plan.counts.create_files == 1) fs::resize_file(here("big"), 300000);
                            return Result<void>();
                          }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(read(there("other")), "other");
  EXPECT_TRUE(read(there("big")) == read(here("big")));  // the second round
}

}  // namespace
}  // namespace yonder::sync
