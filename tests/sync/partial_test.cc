// Syncs of a part of a tree that was synced as a whole, and the other way round.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PartialSync : public SyncTest {
 protected:
  Result<SyncReport> push_part(const std::string& name, const SyncOptions& options = {}) {
    SyncRequest request = push_request();
    request.local_path = here(name);
    request.remote_path = there(name);
    request.options = options;
    return run(request);
  }
  static void set_mtime(const std::string& path, std::int64_t seconds) {
    const timespec when{.tv_sec = seconds, .tv_nsec = 5};
    const std::array<timespec, 2> times{when, when};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
  }
};

TEST_F(PartialSync, OfADirectoryDoesNotOverwriteWhatSomebodyChanged) {
  write(here("d/sub/x"), "one");
  push();
  write(there("d/sub/x"), "theirs!");
  write(here("d/sub/x"), "mine");
  const auto report = push_part("d/sub");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("d/sub/x")), "theirs!");
  EXPECT_EQ(push().plan.counts.conflicts, 1U) << "nor is it forgotten";
  EXPECT_EQ(push_part("d/sub")->plan.counts.conflicts, 1U);
}

TEST_F(PartialSync, OfAFileDoesNotOverwriteWhatSomebodyChanged) {
  write(here("d/x"), "one");
  push();
  write(there("d/x"), "theirs!");
  write(here("d/x"), "mine");
  const auto report = push_part("d/x");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("d/x")), "theirs!");
}

TEST_F(PartialSync, IsNoChangeOfSomebodyElseToTheWhole) {
  for (const std::string part : {"d/sub", "d/sub/x"}) {
    write(here("d/sub/x"), concat("one for ", part));
    push();
    write(here("d/sub/x"), concat("another, for ", part));
    EXPECT_EQ(push_part(part)->files_sent, 1U);
    write(here("d/sub/x"), concat("the third one, for ", part));
    const SyncReport report = push();
    EXPECT_EQ(report.plan.counts.conflicts, 0U);
    EXPECT_EQ(report.files_sent, 1U);
    // And the whole is none to the part.
    write(here("d/sub/x"), concat("the fourth and last one, for ", part));
    const auto again = push_part(part);
    EXPECT_EQ(again->plan.counts.conflicts, 0U);
    EXPECT_EQ(again->files_sent, 1U);
  }
}

TEST_F(PartialSync, HidesNoChangeFromTheWhole) {
  write(here("d/x"), "one");
  write(here("e/y"), "one");
  push();
  write(here("d/x"), "two!");
  ASSERT_TRUE(push_part("d"));
  write(there("d/x"), "theirs, later");
  write(there("e/y"), "theirs too");
  write(here("d/x"), "three!!");
  write(here("e/y"), "mine");
  EXPECT_EQ(push().plan.counts.conflicts, 2U);
  EXPECT_EQ(read(there("d/x")), "theirs, later");
}

TEST_F(PartialSync, OfWhatWasRemovedIsKnownToTheWhole) {
  write(here("d/x"), "one");
  write(here("d/y"), "one");
  push();
  fs::remove(here("d/x"));
  EXPECT_EQ(push_part("d", {.delete_extras = true})->files_removed, 1U);
  write(there("d/x"), "somebody's new one");
  write(here("d/x"), "mine");
  EXPECT_EQ(push().plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("d/x")), "somebody's new one");
}

TEST_F(PartialSync, BackIsNoChangeOfSomebodyElse) {
  write(here("d/x"), "one");
  push();
  write(there("d/x"), "made there");
  SyncRequest back = pull_request();
  back.local_path = here("d");
  back.remote_path = there("d");
  ASSERT_EQ(run(back)->files_sent, 1U);
  write(here("d/x"), "made here, after that");
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.conflicts, 0U);
  EXPECT_EQ(read(there("d/x")), "made here, after that");
}

TEST_F(PartialSync, WithoutAnyRecordTheNewerFileStays) {
  write(here("newer"), "mine");
  write(here("older"), "mine");
  write(here("same"), "same");
  write(there("newer"), "theirs!");
  write(there("older"), "theirs!");
  write(there("same"), "same");
  set_mtime(here("newer"), 1000);
  set_mtime(there("newer"), 2000);
  set_mtime(here("older"), 2000);
  set_mtime(there("older"), 1000);
  set_mtime(here("same"), 1000);
  set_mtime(there("same"), 2000);
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("newer")), "theirs!");
  EXPECT_EQ(read(there("older")), "mine");
  EXPECT_EQ(report.trash_batches.size(), 1U);
  EXPECT_EQ(report.attributes_set, 1U);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("no record of an earlier sync")));
  const SyncReport again = push();
  EXPECT_EQ(again.plan.counts.conflicts, 1U) << "it stays one";
  EXPECT_THAT(again.warnings, IsEmpty());
}

}  // namespace
}  // namespace yonder::sync
