#include <filesystem>

#include "base/quote.h"
#include "e2e/git_sync_fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(GitSync, ClonesWhereThereIsNothing) {
  const Json done = sync();
  EXPECT_EQ(done["status"], "cloned");
  EXPECT_EQ(done["sandbox"], "box");
  EXPECT_EQ(done["remote_path"], far());
  EXPECT_EQ(done["old_commit"], nullptr);
  EXPECT_EQ(done["new_commit"], head());
  EXPECT_EQ(done["branch"], "main");
  EXPECT_EQ(done["via"], "link");
  EXPECT_EQ(done["commits_sent"], 1);
  EXPECT_GT(done["bytes_sent"].get<int>(), 0);
  EXPECT_GT(done["duration_s"].get<double>(), 0);
  for (const char* list : {"dirty", "own_commits", "warnings"}) EXPECT_THAT(done[list], IsEmpty());
  for (const char* none : {"stashed", "backup_branch"}) EXPECT_EQ(done[none], nullptr);
  EXPECT_EQ(done["local_uncommitted"], 0);
  EXPECT_EQ(head_there(), head());
  EXPECT_EQ(there("git symbolic-ref HEAD; git status --porcelain; cat a; git fsck --strict 2>&1"),
            "refs/heads/main\none");
}

TEST_F(GitSync, SendsOnlyWhatIsMissing) {
  std::string noise;
  for (int i = 0; i < 20000; ++i) noise += concat(i * 7919, "\n");
  commit("big", noise);
  const Json first = sync();
  const std::string old = head();
  commit("a", "two\n");
  commit("b/c", "new\n");
  const Json second = sync();
  EXPECT_EQ(second["status"], "updated");
  EXPECT_EQ(second["old_commit"], old);
  EXPECT_EQ(second["commits_sent"], 2);
  EXPECT_LT(second["bytes_sent"].get<int>() * 10, first["bytes_sent"].get<int>());
  EXPECT_EQ(there("cat a b/c; git rev-parse HEAD"), "two\nnew\n" + head());
}

TEST_F(GitSync, TakesThreeRunsAndOneWhenThereIsNothingToDo) {
  sync();
  commit("a", "two\n");
  std::size_t before = runs_there();
  sync();
  EXPECT_EQ(runs_there() - before, 3U);
  before = runs_there();
  const Json again = sync();
  EXPECT_EQ(runs_there() - before, 1U);
  EXPECT_EQ(again["status"], "up_to_date");
  EXPECT_EQ(again["old_commit"], head());
  EXPECT_EQ(again["bytes_sent"], 0);
}

TEST_F(GitSync, BringsANamedCommitWithADetachedHead) {
  const std::string first = head();
  git({"tag", "-a", "-m", "first", "v1"});
  commit("a", "two\n");
  const Json tag = sync({{"commit", "v1"}});
  EXPECT_EQ(tag["new_commit"], first);
  EXPECT_EQ(tag["branch"], nullptr);
  EXPECT_EQ(there("git symbolic-ref -q HEAD || echo detached; cat a"), "detached\none");
  EXPECT_EQ(sync({{"commit", "HEAD"}})["branch"], "main");
  // Back again: what is left behind exists here too, so that nothing is lost.
  EXPECT_EQ(sync({{"commit", first.substr(0, 12)}})["new_commit"], first);
  EXPECT_EQ(there("cat a"), "one");
}

TEST_F(GitSync, PutsTheCommitOnTheBranchOfThatName) {
  git({"branch", "side"});
  EXPECT_EQ(sync({{"commit", "side"}})["branch"], "side");
  EXPECT_EQ(there("git symbolic-ref HEAD"), "refs/heads/side");
  commit("a", "two\n");
  EXPECT_EQ(sync({{"branch", "exp/1"}})["branch"], "exp/1");
  EXPECT_EQ(there("git symbolic-ref HEAD; git rev-parse side"),
            "refs/heads/exp/1\n" + git({"rev-parse", "side"}));
  EXPECT_THAT(refused({{"branch", "-x"}})["message"].get<std::string>(), HasSubstr("-x"));
  EXPECT_THAT(refused({{"branch", "a..b"}})["message"].get<std::string>(), HasSubstr("a..b"));
}

TEST_F(GitSync, TakesPathsAsTheyAre) {
  sync();
  for (const std::string name : {"with blanks", "it's \"quoted\" $HOME `x`", "-n", "ends\n"}) {
    const Json done = sync({{"remote_path", "~/" + name}});
    EXPECT_EQ(done["status"], "cloned") << name;
    EXPECT_EQ(there(concat("cat -- ~/", shell_quote(name), "/a")), "one") << name;
  }
}

TEST_F(GitSync, SaysWhatWasNotCommittedHere) {
  write_here("a", "changed\n");
  write_here("new", "untracked\n");
  const Json done = sync();
  EXPECT_EQ(done["local_uncommitted"], 2);
  EXPECT_THAT(dump_json(done["warnings"]), HasSubstr("2 changes here are not committed"));
  EXPECT_EQ(there("cat a; ls"), "one\na");
}

TEST_F(GitSync, WarnsOfWhatCommitsDoNotHold) {
  commit(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = /nowhere\n");
  commit("deep/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  const Json done = sync();
  EXPECT_THAT(dump_json(done["warnings"]), HasSubstr("submodules are not brought along"));
  EXPECT_THAT(dump_json(done["warnings"]), HasSubstr("git lfs pull"));
}

TEST_F(GitSync, FetchesFromTheFarSidesOwnRemote) {
  const std::string hub = far() + "-hub";
  EXPECT_THAT(refused({{"via", "remote"}})["message"].get<std::string>(),
              HasSubstr("no repository yet"));
  sync();
  EXPECT_THAT(
      refused({{"via", "remote"}, {"commit", commit("a", "two\n")}})["message"].get<std::string>(),
      HasSubstr("no remote 'origin'"));
  sync({{"remote_path", hub}});
  there(concat("git remote add origin ", shell_quote(hub)));
  const Json done = sync({{"via", "remote"}});
  EXPECT_EQ(done["status"], "updated");
  EXPECT_EQ(done["via"], "remote");
  EXPECT_EQ(done["bytes_sent"], 0);
  EXPECT_EQ(head_there(), head());
  commit("a", "three\n");
  const Json missing = refused({{"via", "remote"}});
  EXPECT_EQ(missing["code"], "not_found");
  EXPECT_THAT(missing["message"].get<std::string>(), HasSubstr("is not on the remote 'origin'"));
  EXPECT_THAT(missing["hint"].get<std::string>(), HasSubstr("push it first"));
}

TEST_F(GitSync, MovesTheBranchOfABareRepository) {
  sync();
  there("git init -q --bare ../bare.git");
  const std::string bare = far() + "/../bare.git";
  EXPECT_EQ(sync({{"remote_path", bare}})["status"], "updated");
  EXPECT_EQ(sync({{"remote_path", bare}})["status"], "up_to_date");
  commit("a", "two\n");
  EXPECT_EQ(sync({{"remote_path", bare}})["commits_sent"], 1);
  EXPECT_EQ(there("git -C ../bare.git rev-parse main"), head());
  EXPECT_THAT(refused({{"remote_path", bare}, {"commit", "HEAD~1"}})["message"].get<std::string>(),
              HasSubstr("is bare"));
}

TEST_F(GitSync, SaysWhatIsWrongHere) {
  EXPECT_EQ(refused({{"local_path", "/"}})["code"], "not_found");
  EXPECT_EQ(refused({{"local_path", here() + "/none"}})["code"], "not_found");
  const Json unknown = refused({{"commit", "no-such-thing"}});
  EXPECT_EQ(unknown["code"], "not_found");
  EXPECT_THAT(unknown["message"].get<std::string>(), HasSubstr("no-such-thing"));
  EXPECT_EQ(refused({{"commit", "--all"}})["code"], "invalid_argument");
  EXPECT_EQ(refused({{"on_dirty", "maybe"}})["code"], "invalid_argument");
  EXPECT_FALSE(std::filesystem::exists(far()));
}

TEST_F(GitSync, RefusesToSendACutOffHistory) {
  commit("a", "two\n");
  const std::string clone = here() + "-shallow";
  git({"clone", "-q", "--depth", "1", "file://" + here(), clone});
  const Json error = refused({{"local_path", clone}});
  EXPECT_EQ(error["code"], "unsupported");
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("--unshallow"));
}

TEST_F(GitSync, GoesOnFromAShallowClone) {
  commit("gone", "old content\n");
  git({"rm", "-q", "gone"});
  git({"commit", "-q", "-m", "without it"});
  sync({{"remote_path", far() + "-full"}});
  sync();
  there("git clone -q --depth 1 \"file://$PWD-full\" ../shallow");
  // What only the part that was cut off has, is needed again.
  commit("gone", "old content\n");
  const Json done = sync({{"remote_path", far() + "/../shallow"}});
  EXPECT_EQ(done["commits_sent"], 1);
  EXPECT_EQ(there("cat ../shallow/gone; git -C ../shallow fsck 2>&1"), "old content");
}

TEST_F(GitSync, WorksAtTheCommandLine) {
  const auto yonder = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "git-sync");
    words.insert(words.end(), {"--local", here()});
    return run_yonder(words, environment());
  };
  const Captured cloned = yonder({"box", "~/checkout"});
  EXPECT_EQ(cloned.status.code, 0) << cloned.err;
  EXPECT_THAT(cloned.out, HasSubstr("cloned at " + head().substr(0, 10) + ", on main"));
  there("echo changed > a");
  const Captured dirty = yonder({"box", "~/checkout"});
  EXPECT_EQ(dirty.status.code, 1);
  EXPECT_EQ(dirty.out, "");
  EXPECT_THAT(dirty.err, HasSubstr("uncommitted changes: a"));
  EXPECT_THAT(dirty.err, HasSubstr("--on-dirty stash"));
  const Captured reset = yonder({"box", "~/checkout", "--on-dirty", "reset", "--json"});
  EXPECT_EQ(reset.status.code, 0) << reset.err;
  const auto json = parse_json(reset.out, "output");
  ASSERT_TRUE(json) << reset.out;
  EXPECT_THAT((*json)["dirty"], ElementsAre("a"));
  EXPECT_EQ(yonder({"nowhere-at-all", "~/checkout"}).status.code, 255);
}

}  // namespace
}  // namespace yonder::e2e
