#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

class Removals : public SyncTest {
 protected:
  std::string refusal(const SyncOptions& options) {
    SyncRequest request = push_request();
    request.options = options;
    const auto report = run(request);
    return report ? "" : concat(report.error().message, "; ", report.error().hint);
  }
};

TEST_F(Removals, WithoutARecordOfAnEarlierSyncEachNeedsItsNumber) {
  write(here("a"), "one");
  for (int i = 0; i < 18; ++i) write(there(concat("foreign", i)), "x");
  EXPECT_THAT(refusal({.delete_extras = true}), HasSubstr("confirm_delete=18"));
  EXPECT_THAT(refusal({.delete_extras = true, .keep_replaced = false}), HasSubstr("for good"));
  EXPECT_TRUE(fs::exists(there("foreign7")));
  EXPECT_FALSE(fs::exists(there("a"))) << "nothing was changed";
  EXPECT_EQ(push({.delete_extras = true, .confirm_delete = 18}).files_removed, 18U);
}

TEST_F(Removals, ADirectoryThatHoldsAFileOfAnotherSyncStaysAndTheSyncIsNotComplete) {
  write(here("a"), "one");
  write(here("d/b"), "two");
  push();
  fs::remove_all(here("d"));
  write(there("d/.~yonder-abcdefgh-1"), "a sync was killed a moment ago");
  const SyncReport report = push({.delete_extras = true});
  EXPECT_TRUE(fs::exists(there("d/.~yonder-abcdefgh-1")));
  EXPECT_FALSE(report.complete());
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_EQ(report.failed[0].path, "d");
  EXPECT_THAT(report.failed[0].message, HasSubstr(".~yonder-abcdefgh-1"));
}

TEST_F(Removals, WithoutATrashEachNeedsItsNumberWhateverIsKnown) {
  write(here("a"), "one");
  write(here("b"), "two");
  push();
  fs::remove(here("b"));
  EXPECT_THAT(refusal({.delete_extras = true, .keep_replaced = false}),
              HasSubstr("confirm_delete=1"));
  EXPECT_EQ(push({.delete_extras = true}).files_removed, 1U);
}

TEST_F(Removals, LeaveWhatAGitignoreNamesUnlessItIsAskedFor) {
  write(here("a"), "one");
  write(here(".gitignore"), "results/\n*.log\n");
  push();
  write(there("results/1"), "of a live run");
  write(there("sub/.gitignore"), "cache\n");
  write(there("sub/cache/x"), "named there only");
  write(there("sub/1.log"), "log");
  write(there("stale"), "x");
  const SyncReport report = push({.delete_extras = true});
  EXPECT_EQ(report.files_removed, 2U) << "stale and sub/.gitignore";
  EXPECT_THAT(report.warnings, Contains(HasSubstr("delete_ignored")));
  EXPECT_TRUE(fs::exists(there("results/1")));
  EXPECT_TRUE(fs::exists(there("sub/cache/x")));
  EXPECT_TRUE(fs::exists(there("sub/1.log")));
  EXPECT_EQ(push({.delete_extras = true, .delete_ignored = true}).files_removed, 3U);
  EXPECT_FALSE(fs::exists(there("results")));
}

TEST_F(Removals, LeaveWhatAGitignoreNamesInAPullToo) {
  write(there("a"), "one");
  write(there(".gitignore"), "results/\n");
  pull();
  write(here("results/1"), "mine");
  write(here("stale"), "x");
  EXPECT_EQ(pull({.delete_extras = true}).files_removed, 1U);
  EXPECT_TRUE(fs::exists(here("results/1")));
}

}  // namespace
}  // namespace yonder::sync
