#include "ops/git_sync_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/quote.h"
#include "base/scratch_test.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "ops/git_local.h"
#include "ops/git_sync_report.h"

namespace yonder::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The scripts as every shell of this machine runs them, with a real git.
class GitScripts : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    in_repo("git init -q -b main . && echo one > a && git add a && git commit -qm one");
    first_ = in_repo("git rev-parse HEAD");
    in_repo("echo two > a && git commit -qam two");
    second_ = in_repo("git rev-parse HEAD");
    in_repo("git clone -q . ../far && git -C ../far reset -q --hard HEAD~1");
  }

  std::vector<std::string> environment() const {
    return {"PATH=/usr/local/bin:/usr/bin:/bin",
            "HOME=" + scratch_.path(),
            "GIT_AUTHOR_NAME=x",
            "GIT_AUTHOR_EMAIL=x@y",
            "GIT_COMMITTER_NAME=x",
            "GIT_COMMITTER_EMAIL=x@y"};
  }
  std::string run(const std::vector<std::string>& argv, const std::string& input = "") {
    const auto done = run_captured({.argv = argv, .environment = environment()}, input, 1U << 20,
                                   testing::patience());
    if (!done) return "error: " + done.error().message;
    errors_ = done->err;
    return done->out;
  }
  std::string in_repo(const std::string& line) {
    ::mkdir((scratch_ / "repo").c_str(), 0700);
    const std::string text =
        concat(ShellText("cd --").arg(scratch_ / "repo").str(), " && { ", line, "; }");
    return std::string(trim(run({"sh", "-c", text})));
  }
  std::vector<std::string> shell() const {
    auto words = split(GetParam(), ' ');
    words.emplace_back("-c");
    return words;
  }
  std::string run_script(const std::string& text, const std::string& input = "") {
    auto argv = shell();
    argv.push_back(text);
    return run(argv, input);
  }
  bool has_shell() { return run({split(GetParam(), ' ')[0], "-c", "true"}).empty(); }

  FarRepository look(const std::string& path, const std::string& branch = "main") {
    const auto far = parse_far_repository(
        run_script(git_look_script({.path = path, .commit = second_, .branch = branch})));
    EXPECT_TRUE(far) << errors_;
    return far ? *far : FarRepository();
  }
  GitApply as_seen(const FarRepository& far) const {
    return {.path = far.path,
            .commit = second_,
            .branch = "main",
            .make_repository = !far.is_repository(),
            .format = "sha1",
            .head = far.head,
            .head_ref = far.ref,
            .tip = far.tip,
            .on_dirty = "refuse"};
  }
  FarOutcome apply(const GitApply& what, const std::string& input = "") {
    if (what.make_repository || !what.transport.empty()) {
      const auto taken = parse_far_outcome(run_script(git_take_script(what), input));
      EXPECT_TRUE(taken) << errors_;
      if (!taken || taken->outcome != "ok") return taken ? *taken : FarOutcome();
    }
    const auto outcome = parse_far_outcome(run_script(git_apply_script(what)));
    EXPECT_TRUE(outcome) << errors_;
    return outcome ? *outcome : FarOutcome();
  }

  testing::Scratch scratch_;
  std::string first_;
  std::string second_;
  std::string errors_;
};

INSTANTIATE_TEST_SUITE_P(Shells, GitScripts,
                         ::testing::Values("sh", "bash", "bash --posix", "busybox sh",
                                           "zsh --emulate sh"),
                         [](const auto& shell) {
                           std::string name;
                           for (const char c : std::string(shell.param)) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return name;
                         });

TEST_P(GitScripts, ShowTheCommitsOfADetachedHeadHoweverOldTheyAre) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  in_repo("cd ../far && for i in $(seq 110); do git commit -q --allow-empty -m new; done");
  const std::string old = in_repo(
      "cd ../far && git checkout -q --detach HEAD~110 && GIT_COMMITTER_DATE=2001-01-01T00:00:00Z "
      "git commit -q --allow-empty -m old && git rev-parse HEAD");
  for (const std::string& commit : {first_, second_}) {
    const auto far = parse_far_repository(run_script(
        git_look_script({.path = scratch_ / "far", .commit = commit, .branch = "main"})));
    ASSERT_TRUE(far) << errors_;
    EXPECT_EQ(far->head, old);
    const auto is_old = [&](const FarCommit& each) { return each.id == old; };
    EXPECT_EQ(std::count_if(far->history.begin(), far->history.end(), is_old), 1);
  }
}

TEST_P(GitScripts, TellWhatIsThere) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  const FarRepository far = look(scratch_ / "far");
  EXPECT_EQ(far.state, "repository");
  EXPECT_EQ(far.head, first_);
  EXPECT_EQ(far.ref, "refs/heads/main");
  EXPECT_EQ(far.tip, first_);
  EXPECT_FALSE(far.bare);
  EXPECT_TRUE(far.has_commit) << "it has it as origin/main";
  EXPECT_TRUE(far.dirty.empty());
  EXPECT_EQ(look("~/far").path, far.path);
  EXPECT_EQ(look("~/none").state, "missing");
  EXPECT_EQ(look("/etc/passwd").state, "file");
  EXPECT_EQ(look("/etc").state, "foreign");
}

TEST_P(GitScripts, TellOfChangesWithOddNames) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  in_repo(
      R"sh(cd ../far && printf x > "$(printf 'state=gone\ndone')" && git add . && echo y > a)sh");
  EXPECT_THAT(look(scratch_ / "far").dirty, ElementsAre("a", "state=gone\ndone"));
}

TEST_P(GitScripts, MoveTheCheckout) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  const FarOutcome done = apply(as_seen(look(scratch_ / "far")));
  EXPECT_EQ(done.outcome, "ok") << done.step << errors_;
  EXPECT_EQ(done.head, second_);
  EXPECT_EQ(done.ref, "refs/heads/main");
  EXPECT_EQ(scratch_.read("far/a"), "two\n");
}

TEST_P(GitScripts, NoticeWhatChangedSinceTheLook) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  const GitApply seen = as_seen(look(scratch_ / "far"));
  const std::vector<std::string> surprises{"echo mine > a", "git checkout -q -b other",
                                           "git checkout -q --detach",
                                           "git commit -q --allow-empty -m x"};
  for (const auto& surprise : surprises) {
    in_repo("cd ../far && " + surprise);
    const std::string now = in_repo("git -C ../far rev-parse HEAD");
    const FarOutcome done = apply(seen);
    EXPECT_EQ(done.outcome, "changed") << surprise;
    EXPECT_EQ(done.head, now) << surprise;
    in_repo("cd ../far && git checkout -q -f -B main " + first_);
  }
  GitApply dirty = seen;
  in_repo("echo mine > ../far/a");
  dirty.status = in_repo(R"(printf ' M a\0' | git hash-object --stdin)");
  dirty.on_dirty = "reset";
  in_repo("cd ../far && echo more > b && git add b");
  EXPECT_EQ(apply(dirty).outcome, "changed");
  in_repo("cd ../far && git rm -q -f b");
  EXPECT_EQ(apply(dirty).outcome, "ok") << errors_;
}

TEST_P(GitScripts, KeepTheOldStateWhenThePackIsCutOff) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  in_repo("echo three > a && git commit -qam three");
  GitApply apply_third = as_seen(look(scratch_ / "far"));
  apply_third.commit = in_repo("git rev-parse HEAD");
  apply_third.transport = "pack";
  const std::string pack =
      run({"git", "-C", scratch_ / "repo", "pack-objects", "--revs", "--thin", "--stdout", "-q"},
          concat(apply_third.commit, "\n^", first_, "\n"));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, pack.size() / 2, pack.size() - 1}) {
    const FarOutcome cut = apply(apply_third, pack.substr(0, size));
    EXPECT_EQ(cut.outcome, "failed") << size;
    EXPECT_EQ(cut.head, first_);
  }
  EXPECT_EQ(apply(apply_third, pack).outcome, "ok") << errors_;
  EXPECT_EQ(scratch_.read("far/a"), "three\n");
}

TEST_P(GitScripts, MakeARepositoryAndFinishOneThatWasLeftEmpty) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  const FarRepository nothing = look(scratch_ / "deep/new");
  GitApply fresh = as_seen(nothing);
  fresh.transport = "pack";
  const std::string pack = run(
      {"git", "-C", scratch_ / "repo", "pack-objects", "--revs", "--stdout", "-q"}, second_ + "\n");
  EXPECT_EQ(apply(fresh, "no pack").outcome, "failed");
  const FarRepository left = look(scratch_ / "deep/new");
  EXPECT_EQ(left.state, "repository");
  EXPECT_EQ(left.head, "");
  GitApply again = as_seen(left);
  again.transport = "pack";
  EXPECT_EQ(apply(again, pack).outcome, "ok") << errors_;
  EXPECT_EQ(scratch_.read("deep/new/a"), "two\n");
}

// What docs/formats.md says. A process of another version may have to read it.
TEST_P(GitScripts, NoteAMoveInTheDocumentedForm) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  const std::string moving = scratch_ / "far/.git/yonder-moving";
  in_repo(
      concat("echo '* filter=spy' > ../far/.git/info/attributes; git -C ../far config "
             "filter.spy.smudge 'cp ",
             moving, " ", scratch_ / "noted", "; stat -c %a ", moving, " > ", scratch_ / "mode",
             "; cat'"));
  EXPECT_EQ(apply(as_seen(look(scratch_ / "far"))).outcome, "ok") << errors_;
  EXPECT_EQ(
      scratch_.read("noted"),
      concat("yonder moving 1\nhost ", in_repo("uname -n"), "\nboot ",
             in_repo("cat /proc/sys/kernel/random/boot_id"), "\npids ",
             in_repo("readlink /proc/self/ns/pid"), "\nhead ", first_,
             "\nref refs/heads/main\ntip ", first_, "\ncommit ", second_, "\nbranch main\nbase ",
             in_repo(concat("git rev-parse ", first_, "^{tree}")), "\nstash \nbegun\n"));
  EXPECT_EQ(scratch_.read("mode"), "600\n");
  EXPECT_EQ(in_repo("find ../far/.git -name '*yonder*' -o -name '*.lock'"), "");
}

TEST_P(GitScripts, TakeBackAMoveThatIsNotedInTheDocumentedForm) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  // As before this boot: a machine of that name, another boot id.
  in_repo(
      concat("cd ../far && printf '%s\\n' 'yonder moving 1' \"host $(uname -n)\" "
             "'boot 0123' 'pids pid:[1]' 'head ",
             first_, "' 'ref refs/heads/main' 'tip ", first_, "' 'commit ", second_,
             "' 'branch main' \"base $(git rev-parse ", first_,
             "^{tree})\" 'stash ' begun > .git/yonder-moving; echo yonder > .git/index.lock; "
             "echo two > a"));
  const FarRepository left = look(scratch_ / "far");
  EXPECT_EQ(left.moving, "left");
  EXPECT_EQ(left.moving_head, first_);
  EXPECT_EQ(left.moving_commit, second_);
  const auto settled = parse_far_outcome(run_script(git_settle_script(scratch_ / "far")));
  ASSERT_TRUE(settled) << errors_;
  EXPECT_EQ(settled->outcome, "ok") << errors_;
  EXPECT_EQ(scratch_.read("far/a"), "one\n");
  const FarRepository now = look(scratch_ / "far");
  EXPECT_EQ(now.moving, "");
  EXPECT_TRUE(now.dirty.empty());
  EXPECT_EQ(in_repo("find ../far/.git -name '*yonder*' -o -name '*.lock'"), "");
}

TEST_P(GitScripts, TakeNothingBackOfWhatTheUserHasGoneOnFrom) {
  if (!has_shell()) GTEST_SKIP() << "not installed";
  in_repo(concat("cd ../far && printf 'yonder moving 1\\nhost %s\\nboot 0123\\nhead ", first_,
                 "\\nref refs/heads/main\\ntip ", first_, "\\ncommit ", second_,
                 "\\nbranch main\\nbase %s\\nbegun\\n' \"$(uname -n)\" $(git rev-parse ", first_,
                 "^{tree}) > .git/yonder-moving; echo two > a; git commit -qam theirs"));
  const std::string theirs = in_repo("git -C ../far rev-parse HEAD");
  run_script(git_settle_script(scratch_ / "far"));
  const FarRepository now = look(scratch_ / "far");
  EXPECT_EQ(now.moving, "");
  EXPECT_EQ(now.head, theirs);
  EXPECT_EQ(scratch_.read("far/a"), "two\n");
}

TEST(GitScriptText, QuotesEveryValue) {
  const std::string evil = "'; touch /tmp/evil; echo '";
  EXPECT_THAT(git_look_script({.path = evil, .commit = "c", .branch = evil}),
              HasSubstr("place=" + shell_quote(evil) + "\n"));
  const std::string text = git_apply_script(
      {.path = evil, .remote = evil, .backups = {{.branch = evil, .commit = "x"}}});
  EXPECT_THAT(text, HasSubstr("remote=" + shell_quote(evil) + "\n"));
  EXPECT_THAT(text, HasSubstr("backup " + shell_quote(evil) + " x\n"));
}

}  // namespace
}  // namespace yonder::ops
