#include <signal.h>

#include "base/file.h"
#include "base/text.h"
#include "e2e/git_sync_fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

// A commit of 25 files is on its way, and the far side checks it out as slowly as the test says.
class GitSyncMoving : public GitSync {
 protected:
  static constexpr int kFiles = 25;

  void SetUp() override {
    GitSync::SetUp();
    if (HasFatalFailure()) return;
    for (int i = 0; i < kFiles; ++i) write_here(concat("f", i), "one\n");
    commit(".gitattributes", "f* filter=held\n");
    commit_files("first");
    sync();
    old_ = head();
    for (int i = 0; i < kFiles; ++i) write_here(concat("f", i), "two\n");
    git({"rm", "-q", "a"});
    write_here("new", "new\n");
    commit_files("second");
    use_filter(
        "cat; echo >> ~/begun; [ $(wc -l < ~/begun) -lt 5 ] || "
        "while [ ! -e ~/go ]; do sleep 0.1; done");
  }
  void commit_files(const std::string& message) {
    git({"add", "-A"});
    git({"commit", "-q", "-m", message});
  }
  void use_filter(const std::string& smudge) {
    there(
        concat("git config filter.held.clean cat; git config filter.held.required true; "
               "git config filter.held.smudge '",
               smudge, "'"));
  }
  std::string moving() const { return far() + "/.git/yonder-moving"; }
  // Some files are new, and no more will be for now.
  bool is_held() const {
    return lab::eventually([&] {
      const auto begun = read_file(user().home + "/begun", 1U << 20);
      return begun && begun->size() >= 5;
    });
  }
  void let_go() { there("touch ~/go"); }
  std::vector<std::string> words() const { return {"git-sync", "box", far(), "--local", here()}; }
  // Every process of the move, as by the kernel when memory runs out.
  void kill_move() {
    there(
        "for at in /proc/[0-9]*/fd/9; do [ $at -ef .git/yonder-moving ] || continue; "
        "at=${at#/proc/}; kill -9 ${at%%/*}; done; true");
  }
  // Begun, and then ended in the middle.
  void leave_half() {
    RunningYonder running(words(), environment());
    ASSERT_TRUE(is_held());
    kill_move();
    EXPECT_EQ(running.finish().status.code, 1);
    EXPECT_THAT(there("cat .git/index.lock"), HasSubstr("yonder"));
    let_go();
  }
  void expect_moved() {
    EXPECT_EQ(head_there(), head());
    EXPECT_EQ(there("git status --porcelain; cat f0 f9 new; ls a 2>/dev/null; " + left_over()),
              "two\ntwo\nnew");
  }
  void expect_untouched(const std::string& status) {
    EXPECT_EQ(head_there(), old_);
    EXPECT_EQ(there("git status --porcelain; " + left_over()), status);
  }
  static std::string left_over() { return "find .git -name '*yonder*' -o -name '*.lock' | cat"; }
  Json finished(const Json& task) {
    return files_agent()
        .call("check_file_transfer_task", {{"task_id", task}, {"wait_s", 600}})
        .content;
  }
  const std::string& old_head() const { return old_; }

 private:
  std::string old_;
};

TEST_F(GitSyncMoving, WhatIsNotDoneWithinTheCallIsNotStopped) {
  const std::string wanted = head();
  const Json answer = sync({{"wait_s", 4}});
  EXPECT_EQ(answer["mode"], "background") << answer;
  ASSERT_TRUE(is_held());
  let_go();
  const Json done = finished(answer["task_id"]);
  EXPECT_EQ(done["status"], "completed") << done;
  EXPECT_EQ(done["result"]["status"], "updated");
  EXPECT_EQ(done["result"]["old_commit"], old_head());
  EXPECT_EQ(done["result"]["new_commit"], wanted);
  expect_moved();
}

TEST_F(GitSyncMoving, CtrlCLeavesTheCheckoutToItsEnd) {
  {
    RunningYonder running(words(), environment());
    ASSERT_TRUE(is_held());
    running.signal(SIGINT);
    const Captured done = running.finish();
    EXPECT_EQ(done.status.code, 130) << done.err;
    EXPECT_THAT(done.err, HasSubstr("goes on over there"));
    EXPECT_THAT(done.err, HasSubstr("on its way to " + head().substr(0, 10)));
  }
  EXPECT_TRUE(path_exists(moving()));
  let_go();
  sync();
  expect_moved();
}

TEST_F(GitSyncMoving, AKilledProgramLeavesTheCheckoutToItsEnd) {
  {
    RunningYonder running(words(), environment());
    ASSERT_TRUE(is_held());
    running.signal(SIGKILL);
    running.finish();
  }
  // Another call finds it at work, and waits.
  RunningYonder second(words(), environment());
  let_go();
  EXPECT_EQ(second.finish().status.code, 0);
  expect_moved();
}

TEST_F(GitSyncMoving, WhatAKilledCheckoutHasLeftIsTakenBackAndDoneAnew) {
  leave_half();
  const Json done = sync();
  EXPECT_EQ(done["status"], "updated");
  EXPECT_EQ(done["old_commit"], old_head());
  EXPECT_THAT(dump_json(done["warnings"]), HasSubstr("left half done"));
  EXPECT_EQ(done["stashed"], nullptr);
  expect_moved();
}

TEST_F(GitSyncMoving, WhatTheUserChangedAfterAKilledCheckoutIsNotOurs) {
  leave_half();
  there("echo mine > f0; echo mine > f20");
  const Json error = refused();
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(error["message"].get<std::string>(),
              HasSubstr("2 files have uncommitted changes: f0, f20"));
  EXPECT_EQ(there("cat f0 f20 f1 a; " + left_over()), "mine\nmine\none\none");
  EXPECT_EQ(head_there(), old_head());
  const Json done = sync({{"on_dirty", "stash"}});
  EXPECT_EQ(there("git show --format= --name-only 'stash@{0}'; git show 'stash@{0}:f20'"),
            "f0\nf20\nmine");
  expect_moved();
}

TEST_F(GitSyncMoving, AFailedCheckoutIsTakenBackAtOnce) {
  use_filter(
      "read line; echo $line; [ $line != two ] || "
      "{ echo >> ~/begun; [ $(wc -l < ~/begun) -lt 5 ]; }");
  there("echo mine > f3; echo staged > f4; git add f4; echo result > result");
  const std::string before = there("git status --porcelain; git diff; git diff --cached");
  const Json error = refused({{"on_dirty", "stash"}});
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("filter"));
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("nothing is half done"));
  EXPECT_EQ(there("git status --porcelain; git diff; git diff --cached"), before);
  EXPECT_EQ(there("git stash list; " + left_over()), "");
  EXPECT_EQ(head_there(), old_head());
  use_filter("cat");
  sync({{"on_dirty", "reset"}});
  there("rm result");
  expect_moved();
}

TEST_F(GitSyncMoving, AMoveOfAnotherMachineIsLeftAlone) {
  there(
      "printf 'yonder moving 1\\nhost elsewhere\\nboot x\\npids y\\nhead \\nref \\ntip \\ncommit " +
      old_head() + "\\nbranch main\\nbase \\nstash \\nbegun\\n' > .git/yonder-moving");
  const Json error = refused();
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("elsewhere"));
  EXPECT_EQ(head_there(), old_head());
  EXPECT_TRUE(path_exists(moving()));
}

TEST_F(GitSyncMoving, StashPutsAwayWhatItsHintSays) {
  use_filter("cat");
  commit("out/file", "tracked\n");
  commit("ignored", "tracked\n");
  there(
      "printf 'out\\nignored\\n' > .git/info/exclude; echo mine > out; echo mine > ignored; "
      "echo mine > new; echo other > other");
  EXPECT_THAT(refused()["message"].get<std::string>(), HasSubstr("ignored, new, out"));
  const Json done = sync({{"on_dirty", "stash"}});
  EXPECT_EQ(done["stashed"], there("git rev-parse refs/stash"));
  EXPECT_EQ(there("git ls-tree -r --name-only 'stash@{0}^3'; git show 'stash@{0}^3:out'"),
            "ignored\nnew\nout\nmine");
  EXPECT_EQ(there("cat other ignored out/file; git status --porcelain"),
            "other\ntracked\ntracked\n?? other");
}

TEST_F(GitSyncMoving, StashWorksWhereThereIsNoCommitYet) {
  there("git init -q ../unborn && cd ../unborn && echo mine > f1 && git add f1 && echo mine > f2");
  const Json done = sync({{"remote_path", far() + "/../unborn"}, {"on_dirty", "stash"}});
  EXPECT_EQ(
      there("cd ../unborn && git show 'stash@{0}:f1' && git show 'stash@{0}^3:f2' && cat f1 && "
            "git status --porcelain"),
      "mine\nmine\ntwo");
}

}  // namespace
}  // namespace yonder::e2e
