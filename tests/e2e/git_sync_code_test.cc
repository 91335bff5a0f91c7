#include <filesystem>

#include "base/file.h"
#include "e2e/git_sync_fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A repository that names programs to run. Each leaves a file behind when it does.
class GitSyncCode : public GitSync {
 protected:
  void SetUp() override {
    GitSync::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ran_ = new_open_directory();
  }

  std::string leaving(const std::string& name) const { return concat("touch ", ran_, "/", name); }
  std::vector<std::string> ran() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(ran_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  // A shell line that puts programs wherever git at `repository` would run one.
  std::string booby_traps(const std::string& repository) const {
    const std::string set = concat("git -C ", repository, " config ");
    std::string lines = concat(set, "core.fsmonitor '", leaving("fsmonitor"), ";false'\n", set,
                               "filter.trap.clean '", leaving("clean"), ";cat'\n", set,
                               "core.alternateRefsCommand '", leaving("alternates"), "'\n", set,
                               "core.pager '", leaving("pager"), "'\n");
    const std::string hooks = concat(repository, "/.git/hooks/");
    for (const char* hook : {"post-checkout", "post-index-change", "reference-transaction"}) {
      lines += concat("printf '#!/bin/sh\\n", leaving(hook), "\\n' >", hooks, hook, "\nchmod +x ",
                      hooks, hook, "\n");
    }
    return lines;
  }
  void shell(const std::string& lines) const {
    const auto done = run_captured({.argv = {"sh", "-ec", lines}, .environment = environment()}, "",
                                   1U << 16, patience());
    ASSERT_TRUE(done && done->status.success()) << (done ? done->err : done.error().message);
  }

 private:
  std::string ran_;
};

TEST_F(GitSyncCode, NothingThatTheRepositoryHereNamesIsRun) {
  commit(".gitattributes", "a filter=trap\n");
  shell(booby_traps(here()));
  write_here("a", "changed, and of another size\n");
  const Json done = sync();
  EXPECT_EQ(done["status"], "cloned") << done.dump();
  EXPECT_EQ(done["local_uncommitted"], 1);
  EXPECT_THAT(ran(), IsEmpty());
}

TEST_F(GitSyncCode, ADirectoryThatLooksLikeABareRepositoryIsNotUsedHere) {
  const std::string pulled = new_open_directory() + "/pulled";
  shell(concat("cp -r ", here(), "/.git ", pulled, "\ngit --git-dir=", pulled,
               " config core.bare false\ngit --git-dir=", pulled, " config core.worktree ", pulled,
               "\ngit --git-dir=", pulled, " config core.fsmonitor '", leaving("fsmonitor"),
               ";false'\n"));
  const Json error = refused({{"local_path", pulled}});
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("no usable git repository"));
  EXPECT_THAT(ran(), IsEmpty());
}

TEST_F(GitSyncCode, NothingThatTheRepositoryThereNamesIsRun) {
  sync();
  commit("a", "two\n");
  there(booby_traps(far()));
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(sync()["status"], "up_to_date");
  EXPECT_THAT(ran(), IsEmpty());
  EXPECT_EQ(there("git -c core.hooksPath=/dev/null -c core.fsmonitor=false rev-parse HEAD"),
            head());
}

}  // namespace
}  // namespace yonder::e2e
