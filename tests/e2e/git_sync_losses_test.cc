#include <filesystem>

#include "base/file.h"
#include "e2e/git_sync_fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string message_of(const Json& error) {
  return error["message"].get<std::string>();
}

TEST_F(GitSync, KeepsOutOfSecretPlacesOfThisMachine) {
  const std::string secret = lab().client_home() + "/.config/gh/repo";
  std::filesystem::create_directories(secret);
  git({"clone", "-q", here(), secret});
  EXPECT_EQ(refused({{"local_path", secret}})["code"], "invalid_argument");
  const std::string innocent = here() + "-innocent";
  std::filesystem::create_directory_symlink(secret, innocent);
  EXPECT_EQ(refused({{"local_path", innocent}})["code"], "invalid_argument");
  // A checkout whose commits lie in a secret place.
  git({"-C", secret, "worktree", "add", "-q", "-b", "other", here() + "-tree"});
  EXPECT_EQ(refused({{"local_path", here() + "-tree"}})["code"], "invalid_argument");
  EXPECT_FALSE(path_exists(far()));
  std::filesystem::remove_all(secret);
}

TEST_F(GitSync, MayBeRestrictedToSomePlaces) {
  write_config_toml("[sync]\nallow = [\"~/elsewhere\"]\n");
  const Json error = refused();
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_THAT(message_of(error), HasSubstr("may not be synced by agents"));
  EXPECT_FALSE(path_exists(far()));
  write_config_toml("# no settings\n");
  EXPECT_EQ(sync()["status"], "cloned");
}

TEST_F(GitSync, RefusesToLoseUncommittedChanges) {
  sync();
  const std::string old = head_there();
  commit("a", "two\n");
  there("echo mine > a; echo staged > s; git add s");
  const Json error = refused();
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(message_of(error), HasSubstr("2 files have uncommitted changes: a, s"));
  EXPECT_THAT(message_of(error), HasSubstr("nothing was changed"));
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("on_dirty=stash"));
  EXPECT_EQ(head_there(), old);
  EXPECT_EQ(there("cat a s"), "mine\nstaged");
}

TEST_F(GitSync, RefusesChangesEvenWhenTheCommitIsThere) {
  sync();
  there("echo mine > a");
  EXPECT_EQ(refused()["code"], "conflict");
  EXPECT_EQ(sync({{"on_dirty", "reset"}})["status"], "updated");
  EXPECT_EQ(there("cat a"), "one");
}

TEST_F(GitSync, StashesChangesWhenTold) {
  sync();
  commit("a", "two\n");
  there("echo mine > a; echo output > result");
  const Json done = sync({{"on_dirty", "stash"}});
  EXPECT_THAT(done["dirty"], ElementsAre("a"));
  EXPECT_EQ(done["stashed"], there("git rev-parse refs/stash"));
  EXPECT_EQ(there("cat a result; git show 'stash@{0}:a'"), "two\noutput\nmine");
}

TEST_F(GitSync, ThrowsChangesAwayWhenTold) {
  sync();
  commit("a", "two\n");
  there("echo mine > a; echo output > result");
  const Json done = sync({{"on_dirty", "reset"}});
  EXPECT_THAT(done["dirty"], ElementsAre("a"));
  EXPECT_EQ(done["stashed"], nullptr);
  EXPECT_EQ(there("cat a result; git stash list"), "two\noutput");
}

TEST_F(GitSync, RefusesToOverwriteUntrackedFiles) {
  sync();
  const std::string old = head_there();
  commit("new file", "from here\n");
  commit("ignored", "from here\n");
  there(
      "echo mine > 'new file'; echo mine > ignored; echo ignored > .git/info/exclude; echo x > y");
  const Json error = refused();
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(message_of(error), HasSubstr("in the way: ignored, new file"));
  EXPECT_EQ(head_there(), old);
  EXPECT_EQ(there("cat 'new file' ignored"), "mine\nmine");
  const Json done = sync({{"on_dirty", "reset"}});
  EXPECT_THAT(done["dirty"], ElementsAre("ignored", "new file"));
  EXPECT_EQ(there("cat 'new file' ignored y"), "from here\nfrom here\nx");
}

TEST_F(GitSync, StashesUntrackedFilesThatAreInTheWay) {
  sync();
  commit("new", "from here\n");
  there("echo mine > new");
  const Json done = sync({{"on_dirty", "stash"}});
  EXPECT_EQ(done["stashed"], there("git rev-parse refs/stash"));
  EXPECT_EQ(there("cat new; git show 'stash@{0}^3:new'"), "from here\nmine");
}

TEST_F(GitSync, StashesIgnoredFilesThatAreInTheWay) {
  sync();
  commit("ignored", "from here\n");
  there("echo mine > a; echo mine > ignored; echo ignored > .git/info/exclude");
  const Json done = sync({{"on_dirty", "stash"}});
  EXPECT_EQ(done["stashed"], there("git rev-parse refs/stash"));
  EXPECT_EQ(there("cat a ignored; git show 'stash@{0}:a'; git show 'stash@{0}^3:ignored'"),
            "one\nfrom here\nmine\nmine");
}

TEST_F(GitSync, RefusesToLoseCommitsThatExistOnlyThere) {
  sync();
  const std::string own = own_commit_there("theirs");
  commit("a", "two\n");
  const Json error = refused();
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(message_of(error),
              HasSubstr("1 commit exists only there: " + own.substr(0, 10) + " own work"));
  EXPECT_EQ(head_there(), own);
  EXPECT_EQ(there("cat a"), "one");
}

TEST_F(GitSync, SeesAnOldCommitOfADetachedHeadBehindManyNewOnes) {
  for (int i = 0; i < 110; ++i) git({"commit", "-q", "--allow-empty", "-m", "more"});
  sync();
  there(
      "git checkout -q --detach HEAD~105 && echo old > old && git add old &&"
      " GIT_AUTHOR_DATE='2001-01-01T00:00:00Z' GIT_COMMITTER_DATE='2001-01-01T00:00:00Z'"
      " git -c user.name=x -c user.email=x@y commit -qm old");
  const std::string theirs = head_there();
  commit("a", "two\n");
  const Json error = refused();
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(message_of(error), HasSubstr("1 commit exists only there"));
  EXPECT_EQ(head_there(), theirs);
  const Json done = sync({{"on_diverged", "keep_branch"}});
  EXPECT_THAT(there("git branch --contains " + theirs), HasSubstr("yonder/backup-"));
}

TEST_F(GitSync, KeepsTheirCommitsOnABranchWhenTold) {
  sync();
  const std::string own = own_commit_there("theirs");
  commit("a", "two\n");
  const Json done = sync({{"on_diverged", "keep_branch"}});
  const auto branch = done["backup_branch"].get<std::string>();
  EXPECT_THAT(branch, StartsWith("yonder/backup-20"));
  EXPECT_THAT(done["own_commits"], ElementsAre(own.substr(0, 10) + " own work"));
  EXPECT_EQ(done["commits_sent"], 1) << "the base of their commits is known here";
  EXPECT_EQ(there("git rev-parse " + branch), own);
  EXPECT_EQ(head_there(), head());
  EXPECT_EQ(there("ls; git symbolic-ref HEAD"), "a\nrefs/heads/main");
}

TEST_F(GitSync, GivesTheirCommitsUpWhenTold) {
  sync();
  own_commit_there("theirs");
  const Json done = sync({{"on_diverged", "reset"}});
  EXPECT_EQ(done["status"], "updated");
  EXPECT_EQ(done["backup_branch"], nullptr);
  EXPECT_EQ(done["own_commits"].size(), 1U);
  EXPECT_EQ(head_there(), head());
}

TEST_F(GitSync, LeavesTheCommitsOfOtherBranchesAlone) {
  sync();
  there("git checkout -q -b theirs");
  const std::string own = own_commit_there("x");
  commit("a", "two\n");
  const Json done = sync();
  EXPECT_EQ(done["backup_branch"], nullptr);
  EXPECT_EQ(there("git rev-parse theirs"), own);
  EXPECT_EQ(head_there(), head());
}

TEST_F(GitSync, FollowsACommitThatWasAmendedHere) {
  commit("a", "two\n");
  sync();
  write_here("a", "better\n");
  git({"commit", "-q", "-a", "--amend", "-m", "better"});
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(there("cat a"), "better");
}

TEST_F(GitSync, StaysOutOfAMerge) {
  sync();
  there(
      "git checkout -q -b other && echo other > a && git -c user.name=x -c user.email=x@y commit "
      "-qam other && git checkout -q main && echo main > a && git -c user.name=x -c "
      "user.email=x@y commit -qam main; git -c user.name=x -c user.email=x@y merge -q other || "
      "true");
  const Json error = refused({{"on_dirty", "reset"}, {"on_diverged", "reset"}});
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(message_of(error), HasSubstr("in the middle of a merge"));
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("git merge --abort"));
}

TEST_F(GitSync, TouchesNothingThatIsNoRepository) {
  sync();
  there("mkdir ../files && echo x > ../files/x; echo y > ../file; mkdir sub && echo z > sub/z");
  const Json files = refused({{"remote_path", "~/files"}});
  EXPECT_EQ(files["code"], "conflict");
  EXPECT_THAT(message_of(files), HasSubstr("no git repository"));
  EXPECT_THAT(message_of(refused({{"remote_path", "~/file"}})), HasSubstr("not a directory"));
  EXPECT_THAT(message_of(refused({{"remote_path", far() + "/sub"}})),
              HasSubstr("inside the repository"));
  EXPECT_EQ(there("ls -A ../files"), "x");
}

TEST_F(GitSync, SaysThatTheFarSideHasNoGit) {
  const lab::Sshd bare = start_sshd({.hide_programs = {"git"}});
  write_hosts({host("box", bare)});
  const auto agent = new_agent({"YONDER_TOOLSETS=core,files"});
  const Json error = error_of(agent->call(
      "git_sync", Json{{"sandbox_name", "box"}, {"remote_path", "~/x"}, {"local_path", here()}}));
  EXPECT_EQ(error["code"], "unsupported");
  EXPECT_THAT(message_of(error), HasSubstr("no git over there"));
}

TEST_F(GitSync, SaysThatARepositoryBelongsToSomebodyElse) {
  lab::need(lab::Need::Users);
  const std::string other = new_open_directory() + "/other";
  git({"clone", "-q", here(), other});
  const Json error = refused({{"remote_path", other}});
  EXPECT_EQ(error["code"], "unsupported");
  EXPECT_THAT(message_of(error), HasSubstr("belongs to somebody else"));
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("safe.directory " + other));
}

TEST_F(GitSync, DoesNotMoveABranchOfAnotherWorktree) {
  sync();
  there("git worktree add -q -b side ../side");
  git({"branch", "side"});
  const Json error = refused({{"commit", "side"}});
  EXPECT_THAT(message_of(error), HasSubstr("checked out in another worktree"));
  commit("a", "two\n");
  EXPECT_EQ(sync({{"remote_path", far() + "/../side"}, {"branch", "side"}})["status"], "updated");
  EXPECT_EQ(there("cat ../side/a a"), "two\none");
}

TEST_F(GitSync, SaysWhereHeadIsAfterAFailure) {
  sync();
  const std::string old = head_there();
  commit("a", "two\n");
  there("touch .git/index.lock");
  const Json error = refused();
  EXPECT_THAT(message_of(error), HasSubstr("index.lock"));
  EXPECT_THAT(message_of(error),
              HasSubstr("HEAD over there is on branch main at " + old.substr(0, 10)));
  there("rm .git/index.lock");
  EXPECT_EQ(sync()["status"], "updated");
}

}  // namespace
}  // namespace yonder::e2e
