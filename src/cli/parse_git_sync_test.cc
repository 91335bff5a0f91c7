#include <gmock/gmock.h>

#include "cli/exit_status.h"
#include "cli/git_sync_report.h"
#include "cli/parsing_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseGitSync, TakesTheSandboxFirstOrNotAtAll) {
  const auto both = parsed<GitSyncOptions>({"git-sync", "gpu1", "~/x"}).request;
  EXPECT_EQ(both.sandbox, "gpu1");
  EXPECT_EQ(both.remote_path, "~/x");
  const auto path = parsed<GitSyncOptions>({"git-sync", "~/x"}).request;
  EXPECT_EQ(path.sandbox, "");
  EXPECT_EQ(path.remote_path, "~/x");
  EXPECT_EQ(path.local_path, ".");
  EXPECT_EQ(path.commit, "HEAD");
  EXPECT_EQ(path.timeout, std::nullopt);
}

TEST(ParseGitSync, ReadsEveryOption) {
  const auto line =
      parsed<GitSyncOptions>({"git-sync",      "--local",     "/r",        "--commit",   "v1",
                              "--branch",      "b",           "gpu1",      "~/x",        "--via",
                              "remote",        "--remote",    "up",        "--on-dirty", "stash",
                              "--on-diverged", "keep_branch", "--timeout", "9",          "--json"});
  EXPECT_TRUE(line.json);
  EXPECT_EQ(line.request.local_path, "/r");
  EXPECT_EQ(line.request.commit, "v1");
  EXPECT_EQ(line.request.branch, "b");
  EXPECT_EQ(line.request.via, ops::GitVia::Remote);
  EXPECT_EQ(line.request.remote, "up");
  EXPECT_EQ(line.request.on_dirty, ops::OnDirty::Stash);
  EXPECT_EQ(line.request.on_diverged, ops::OnDiverged::KeepBranch);
  EXPECT_EQ(line.request.timeout, Duration(std::chrono::seconds(9)));
}

TEST(ParseGitSync, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal({"git-sync"}), HasSubstr("which directory over there"));
  EXPECT_THAT(refusal({"git-sync", "gpu1", ""}), HasSubstr("directory's name is empty"));
  EXPECT_THAT(refusal({"git-sync", "", "~/x"}), HasSubstr("name is empty"));
  EXPECT_THAT(refusal({"git-sync", "a", "b", "c"}), HasSubstr("unexpected argument"));
  EXPECT_THAT(refusal({"git-sync", "~/x", "--via", "mail"}), HasSubstr("link, remote"));
  EXPECT_THAT(refusal({"git-sync", "~/x", "--on-dirty", "x"}), HasSubstr("refuse, stash, reset"));
  EXPECT_THAT(refusal({"git-sync", "~/x", "--", "y"}), HasSubstr("takes no \"--\""));
}

TEST(GitSyncReport, SaysInOneLineWhatHappened) {
  ops::GitSyncResponse response{.status = "updated",
                                .sandbox = "gpu1",
                                .remote_path = "/x",
                                .old_commit = std::string(40, 'a'),
                                .new_commit = std::string(40, 'b'),
                                .branch = "main",
                                .commits_sent = 2,
                                .bytes_sent = 2048};
  EXPECT_EQ(git_sync_report(response).out,
            "gpu1:/x brought from aaaaaaaaaa to bbbbbbbbbb, on main (2 commits, 2.0 KiB)\n");
  response.dirty = {"f"};
  response.own_commits = {"c work"};
  EXPECT_THAT(git_sync_report(response).messages,
              ElementsAre(HasSubstr("thrown away: f"), HasSubstr("no branch any more: c work")));
  response.stashed = "s";
  response.backup_branch = "yonder/b";
  EXPECT_THAT(git_sync_report(response).messages,
              ElementsAre(HasSubstr("git stash apply s"), HasSubstr("yonder/b")));
}

TEST(GitSyncReport, SpeaksOfOptions) {
  const Error error =
      in_options({Errc::Conflict, "on_dirty=stash", "on_dirty=stash, via=link, remote_path"});
  EXPECT_EQ(error.hint, "--on-dirty stash, --via link, REMOTE_PATH");
  EXPECT_EQ(error.message, "on_dirty=stash");
}

}  // namespace
}  // namespace yonder::cli
