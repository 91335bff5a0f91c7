#include "base/text.h"
#include "e2e/git_sync_fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

// A commit may put one kind of thing where another was. What git does not have stays all the same.
class GitSyncReplaced : public GitSync {
 protected:
  void SetUp() override {
    GitSync::SetUp();
    if (HasFatalFailure()) return;
    commit("sub/file", "tracked\n");
    commit("dir/file", "tracked\n");
  }
  void commit_all(const std::string& message) {
    git({"add", "-A"});
    git({"commit", "-q", "-m", message});
  }
  void remove_here(const std::string& path) { git({"rm", "-q", "-r", "--", path}); }
  // A submodule at `path`, of whatever commit.
  void commit_submodule(const std::string& path) {
    git({"rm", "-q", "-r", "--ignore-unmatch", "--", path});
    git({"update-index", "--add", "--cacheinfo", concat("160000,", head(), ",", path)});
    git({"commit", "-q", "-m", "a submodule at " + path});
  }
  void commit_no_submodule(const std::string& path) {
    git({"rm", "-q", "--cached", "--", path});
    git({"commit", "-q", "-m", "no submodule at " + path});
  }
  // A populated submodule over there, with a commit, a change and an untracked file.
  void populate_there(const std::string& path) {
    there(concat("mkdir -p ", path, " && cd ", path,
                 " && git init -q && echo 1 > kept && git add kept && git -c user.name=x "
                 "-c user.email=x@y commit -qm one && echo uncommitted > kept && echo new > new"));
  }
  // Refused for every value of on_dirty, and all is as it was.
  void expect_refused(const std::string& path, const std::string& all_of_it) {
    const std::string old = head_there();
    const std::string before = there(all_of_it);
    for (const char* on_dirty : {"refuse", "stash", "reset"}) {
      const Json error = refused({{"on_dirty", on_dirty}});
      EXPECT_EQ(error["code"], "conflict") << on_dirty;
      EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("nothing was changed"))
          << on_dirty;
      EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(path)) << on_dirty;
      EXPECT_EQ(head_there(), old) << on_dirty;
      EXPECT_EQ(there(all_of_it), before) << on_dirty;
    }
  }
  // Refused unless told otherwise.
  void expect_refused_by_default(const std::string& path, const std::string& all_of_it) {
    const std::string old = head_there();
    const std::string before = there(all_of_it);
    const Json error = refused();
    EXPECT_EQ(error["code"], "conflict");
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("in the way: " + path));
    EXPECT_EQ(head_there(), old);
    EXPECT_EQ(there(all_of_it), before);
  }
};

TEST_F(GitSyncReplaced, ASubmoduleWithFilesIsNotReplacedByAFile) {
  commit_submodule("sub");
  sync();
  populate_there("sub");
  commit_no_submodule("sub");
  commit("sub", "a file\n");
  expect_refused("sub/", "cat sub/kept sub/new; git -C sub log --format=%s");
  there("rm -rf sub && mkdir sub");
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(there("cat sub"), "a file");
}

TEST_F(GitSyncReplaced, ASubmoduleWithFilesIsNotReplacedByADirectory) {
  commit_submodule("sub");
  sync();
  populate_there("sub");
  commit_no_submodule("sub");
  commit("sub/other", "tracked\n");
  expect_refused("sub/", "cat sub/kept sub/new; git -C sub log --format=%s");
}

TEST_F(GitSyncReplaced, ASubmoduleBelowADirectoryIsNotReplacedWithIt) {
  commit_submodule("dir/sub");
  sync();
  there("echo left > dir/sub/left");  // without a repository in it
  remove_here("dir/file");
  commit_no_submodule("dir/sub");
  commit("dir", "a file\n");
  expect_refused("dir/sub/", "cat dir/sub/left");
}

TEST_F(GitSyncReplaced, ASubmoduleThatIsOnlyRemovedKeepsItsFiles) {
  commit_submodule("sub");
  sync();
  populate_there("sub");
  commit_no_submodule("sub");
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(there("cat sub/kept sub/new; git -C sub log --format=%s"), "uncommitted\nnew\none");
}

TEST_F(GitSyncReplaced, ADirectoryThatBecomesASubmoduleKeepsItsUntrackedFiles) {
  sync();
  there("echo mine > dir/result; echo '*.o' > .git/info/exclude; echo mine > dir/x.o");
  commit_submodule("dir");
  files_agent().call("git_sync", arguments(Json::object()));  // whether git does it or not
  EXPECT_EQ(there("cat dir/result dir/x.o"), "mine\nmine");
}

TEST_F(GitSyncReplaced, ADirectoryWithIgnoredFilesIsNotReplacedByAFile) {
  sync();
  there("echo '*.o' > .git/info/exclude; mkdir dir/deep; echo mine > dir/deep/x.o");
  remove_here("dir");
  commit("dir", "a file\n");
  expect_refused_by_default("dir/deep/x.o", "cat dir/deep/x.o dir/file");
}

TEST_F(GitSyncReplaced, ARepositoryInADirectoryIsNotReplacedByAFile) {
  sync();
  there("mkdir dir/new dir/old && git init -q dir/new && git init -q dir/old");
  there("cd dir/old && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m theirs");
  remove_here("dir");
  commit("dir", "a file\n");
  expect_refused("dir/new/", "ls -A dir/new dir/old; git -C dir/old log --format=%s");
}

TEST_F(GitSyncReplaced, AnIgnoredFileIsNotReplacedByADirectory) {
  sync();
  there("echo out > .git/info/exclude; echo mine > out");
  commit("out/deep/file", "tracked\n");
  commit("out/file", "tracked\n");
  expect_refused_by_default("out", "cat out");
  EXPECT_EQ(sync({{"on_dirty", "reset"}})["status"], "updated");
  EXPECT_EQ(there("cat out/file"), "tracked");
}

TEST_F(GitSyncReplaced, ALinkIsNotReplacedByADirectory) {
  sync();
  there("mkdir ../data; echo mine > ../data/file; ln -s ../data out");
  commit("out/file", "tracked\n");
  expect_refused_by_default("out", "readlink out; cat ../data/file");
  EXPECT_EQ(sync({{"on_dirty", "reset"}})["status"], "updated");
  EXPECT_EQ(there("cat out/file ../data/file"), "tracked\nmine");
}

TEST_F(GitSyncReplaced, ATrackedFileIsReplacedByADirectoryAndBack) {
  sync();
  remove_here("a");
  commit("a/b", "below\n");
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(there("cat a/b"), "below");
  remove_here("a");
  commit("a", "back\n");
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(there("cat a"), "back");
}

TEST_F(GitSyncReplaced, ATrackedLinkIsReplacedByADirectory) {
  git({"-c", "core.symlinks=true", "config", "core.symlinks", "true"});
  git({"update-index", "--add", "--cacheinfo",
       concat("120000,", git({"rev-parse", "HEAD:a"}), ",link")});
  git({"commit", "-q", "-m", "a link"});
  git({"checkout", "-q", "-f", "HEAD", "--", "."});
  sync();
  remove_here("link");
  commit("link/file", "tracked\n");
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(there("cat link/file"), "tracked");
}

}  // namespace
}  // namespace yonder::e2e
