#include "ops/git_sync_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kNew(40, 'a');
const std::string kOld(40, 'b');

LocalCommit local() {
  return {.id = kNew, .branch = "main", .format = "sha1"};
}

FarRepository far_at(const std::string& head) {
  return {.state = "repository",
          .path = "/x",
          .format = "sha1",
          .head = head,
          .ref = "refs/heads/main",
          .tip = head};
}

std::string refusal(const Result<void>& checked) {
  return checked ? "(accepted)" : checked.error().message + " | " + checked.error().hint;
}

TEST(GitPlan, SaysWhyAPlaceCannotBeUsed) {
  struct Case {
    const char* state;
    const char* says;
  };
  for (const auto& [state, says] :
       {Case{"no_git", "no git over there"}, Case{"file", "not a directory"},
        Case{"no_home", "HOME is not set"}, Case{"denied", "may not be read"},
        Case{"foreign", "no git repository"}, Case{"broken", "cannot use it"},
        Case{"\x1b[31m", "\\x1b"}}) {
    FarRepository far = far_at("");
    far.state = state;
    EXPECT_THAT(refusal(check_far({}, local(), far)), HasSubstr(says));
  }
  FarRepository dubious = far_at("");
  dubious.state = "broken";
  dubious.path = "/a b";
  dubious.why = "fatal: detected dubious ownership in repository at '/a b'";
  EXPECT_THAT(refusal(check_far({}, local(), dubious)), HasSubstr("safe.directory '/a b'"));
}

TEST(GitPlan, SaysWhyARepositoryCannotBeMoved) {
  FarRepository far = far_at(kOld);
  EXPECT_TRUE(check_far({}, local(), far));
  far.format = "sha256";
  EXPECT_THAT(refusal(check_far({}, local(), far)), HasSubstr("sha256"));
  far = far_at(kOld);
  far.busy = "rebase";
  EXPECT_THAT(refusal(check_far({}, local(), far)), HasSubstr("git rebase --abort"));
  far = far_at(kOld);
  LocalCommit shallow = local();
  shallow.shallow = true;
  EXPECT_THAT(refusal(check_far({}, shallow, far)), HasSubstr("--unshallow"));
  EXPECT_TRUE(check_far({.via = GitVia::Remote}, shallow, far));
  far.has_commit = true;
  EXPECT_TRUE(check_far({}, shallow, far));
}

TEST(GitPlan, ListsTheFirstPathsAndCommits) {
  FarRepository far = far_at(kOld);
  for (int i = 0; i < 25; ++i) far.dirty.push_back(concat("f", i, "\n"));
  for (int i = 0; i < 12; ++i) far.history.push_back({kOld, concat("s", i, "\x1b")});
  const auto own = own_commits(far, {});
  const std::string said = refusal(check_losses({}, local(), far, own));
  EXPECT_THAT(said, HasSubstr("25 files have uncommitted changes: f0\\x0a, f1\\x0a"));
  EXPECT_THAT(said, HasSubstr("f19\\x0a and 5 more"));
  EXPECT_THAT(said, HasSubstr("12 commits exist only there: bbbbbbbbbb s0\\x1b; "));
  EXPECT_THAT(said, HasSubstr("s9\\x1b; and 2 more"));
  EXPECT_THAT(said, HasSubstr("on_dirty=stash"));
  EXPECT_THAT(said, HasSubstr("on_diverged=keep_branch"));
  EXPECT_THAT(refusal(check_losses({.on_dirty = OnDirty::Stash}, local(), far, own)),
              Not(HasSubstr("uncommitted")));
  EXPECT_TRUE(check_losses({.on_dirty = OnDirty::Stash, .on_diverged = OnDiverged::Reset}, local(),
                           far, own));
  EXPECT_TRUE(own_commits(far, {kOld}).empty());
}

TEST(GitPlan, KnowsWhatIsUpToDate) {
  EXPECT_TRUE(is_up_to_date(local(), far_at(kNew)));
  EXPECT_FALSE(is_up_to_date(local(), far_at(kOld)));
  FarRepository far = far_at(kNew);
  far.dirty = {"a"};
  EXPECT_FALSE(is_up_to_date(local(), far));
  far = far_at(kNew);
  far.ref = "refs/heads/other";
  EXPECT_FALSE(is_up_to_date(local(), far));
  LocalCommit detached = local();
  detached.branch = "";
  EXPECT_FALSE(is_up_to_date(detached, far));
  far.ref = "";
  EXPECT_TRUE(is_up_to_date(detached, far));
  far.bare = true;
  EXPECT_TRUE(is_up_to_date(local(), far));
  far.state = "missing";
  EXPECT_FALSE(is_up_to_date(local(), far));
}

TEST(GitPlan, BacksUpEveryEndThatHasCommitsOfItsOwn) {
  const GitSyncRequest keep{.on_diverged = OnDiverged::KeepBranch};
  const std::string head(40, 'c');
  const std::vector<FarCommit> own{{kOld, "x"}};
  EXPECT_TRUE(plan_apply(keep, local(), far_at(kOld), {}, "2031-05-14").backups.empty());
  EXPECT_TRUE(plan_apply({}, local(), far_at(kOld), own, "2031-05-14").backups.empty());
  FarRepository far = far_at(kOld);
  auto backups = plan_apply(keep, local(), far, own, "2031-05-14").backups;
  ASSERT_EQ(backups.size(), 1U);
  EXPECT_EQ(backups[0].branch, "yonder/backup-2031-05-14-bbbbbbbbbb");
  far.ref = "";
  EXPECT_EQ(plan_apply(keep, local(), far, own, "2031-05-14").backups.size(), 1U);
  far.head = head;
  backups = plan_apply(keep, local(), far, own, "2031-05-14").backups;
  ASSERT_EQ(backups.size(), 2U);
  EXPECT_EQ(backups[1].commit, head);
}

TEST(GitPlan, SaysWhereHeadIsAfterAFailure) {
  const GitApply apply{.path = "/x", .commit = kNew};
  const auto said = [&](const char* outcome) {
    return far_failure({}, apply, {.outcome = outcome, .step = "y", .head = kOld}, "git's words")
        .message;
  };
  EXPECT_THAT(said("failed"),
              HasSubstr("while y: git's words; HEAD over there is detached at bbb"));
  EXPECT_THAT(said("changed"), HasSubstr("detached at bbb"));
  EXPECT_THAT(said("not_on_remote"), HasSubstr("remote 'origin'"));
  EXPECT_EQ(where_head_is("", "refs/heads/m"), "on branch m without a commit");
}

}  // namespace
}  // namespace yonder::ops
