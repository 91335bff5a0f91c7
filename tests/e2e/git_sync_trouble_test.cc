#include <signal.h>

#include <filesystem>

#include "base/id.h"
#include "base/text.h"
#include "e2e/git_sync_fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

// Behind a network that does what the test says, as "slow"; a large commit is on its way there.
class GitSyncTrouble : public GitSync {
 protected:
  static constexpr std::size_t kBig = 3UL << 20;

  void SetUp() override {
    GitSync::SetUp();
    if (HasFatalFailure()) return;
    sync();
    old_ = head();
    commit("big", random_letters(kBig));
    proxy_ = start_proxy(sshd().port());
    write_hosts({host("box", sshd(), user().name), host("slow", sshd(), *proxy_, user().name)});
  }
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"git-sync", "slow", far(), "--local", here()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // git writes into such a file while a pack comes in.
  bool transfer_has_begun() const {
    const std::string packs = far() + "/.git/objects/pack";
    return lab::eventually([&] {
      for (const auto& entry : std::filesystem::directory_iterator(packs)) {
        const bool incoming = entry.path().filename().string().starts_with("tmp_pack");
        if (incoming && entry.file_size() > 0) return true;
      }
      return false;
    });
  }
  // Whole, and as it was.
  void expect_untouched() {
    EXPECT_EQ(head_there(), old_);
    EXPECT_EQ(there("git status --porcelain; git fsck 2>&1; cat a"), "one");
  }
  Json finished(const Json& task) {
    return files_agent()
        .call("check_file_transfer_task", {{"task_id", task}, {"wait_s", 600}})
        .content;
  }
  lab::FaultProxy& proxy() { return *proxy_; }
  std::string old_head_words() const { return "on branch main at " + old_.substr(0, 10); }

 private:
  std::unique_ptr<lab::FaultProxy> proxy_;
  std::string old_;
};

TEST_F(GitSyncTrouble, LostLinksDoNotShow) {
  proxy().cut_after({.bytes = 600000,
                     .direction = lab::Direction::Up,
                     .since = lab::Since::Connection,
                     .times = 20});
  const Captured done = run_yonder(words(), environment());
  EXPECT_EQ(done.status.code, 0) << done.err;
  EXPECT_GE(proxy().stats().cuts, 3U);
  EXPECT_EQ(head_there(), head());
  EXPECT_EQ(there("git status --porcelain; git fsck 2>&1; wc -c < big"), concat(kBig));
}

TEST_F(GitSyncTrouble, CtrlCLeavesTheCheckoutWhole) {
  proxy().set_rate(200000);
  RunningYonder running(words(), environment());
  ASSERT_TRUE(transfer_has_begun());
  running.signal(SIGINT);
  const Captured done = running.finish();
  EXPECT_EQ(done.status.code, 130) << done.err;
  EXPECT_THAT(done.err, HasSubstr(old_head_words()));
  expect_untouched();
}

TEST_F(GitSyncTrouble, AKilledProgramLeavesTheCheckoutWhole) {
  proxy().set_rate(200000);
  {
    RunningYonder running(words(), environment());
    ASSERT_TRUE(transfer_has_begun());
    running.signal(SIGKILL);
    running.finish();
  }
  expect_untouched();
  EXPECT_EQ(sync()["status"], "updated");
  EXPECT_EQ(head_there(), head());
}

TEST_F(GitSyncTrouble, WhatTakesTooLongToWaitForGoesOnInTheBackground) {
  proxy().set_rate(300000);
  const std::string wanted = head();
  const Json answer = sync({{"sandbox_name", "slow"}, {"wait_s", 2}});
  EXPECT_EQ(answer["mode"], "background");
  EXPECT_EQ(answer["status"], "queued");
  EXPECT_EQ(answer["new_commit"], wanted);
  commit("a", "later");  // which is not what was asked for
  proxy().set_rate(0);
  const Json done = finished(answer["task_id"]);
  EXPECT_EQ(done["status"], "completed") << done;
  EXPECT_EQ(done["result"]["status"], "updated");
  EXPECT_EQ(done["result"]["new_commit"], wanted);
  EXPECT_EQ(head_there(), wanted);
  EXPECT_EQ(there("git symbolic-ref HEAD; git status --porcelain; git fsck 2>&1; wc -c < big"),
            concat("refs/heads/main\n", kBig));
}

TEST_F(GitSyncTrouble, WhatAClientLeavesBehindGoesOn) {
  proxy().set_rate(300000);
  files_agent().call_async("git_sync", arguments({{"sandbox_name", "slow"}}));
  ASSERT_TRUE(transfer_has_begun());
  files_agent().close();
  proxy().set_rate(0);
  EXPECT_TRUE(lab::eventually([&] { return head_there() == head(); }));
}

TEST_F(GitSyncTrouble, InTheBackgroundIsCancelledAndLeavesTheCheckoutWhole) {
  proxy().set_rate(200000);
  const Json started = sync({{"sandbox_name", "slow"}, {"background", true}});
  ASSERT_TRUE(transfer_has_begun());
  const Json ended =
      files_agent().call("cancel_file_transfer_task", {{"task_id", started["task_id"]}}).content;
  EXPECT_EQ(ended["status"], "cancelled") << ended;
  EXPECT_EQ(ended["terminated"], true) << ended;
  expect_untouched();
}

TEST_F(GitSyncTrouble, InTheBackgroundSaysWhyItFailed) {
  there("echo changed >> a");
  const Json started = sync({{"background", true}});
  const Json done = finished(started["task_id"]);
  EXPECT_EQ(done["status"], "failed");
  EXPECT_EQ(done["error"]["code"], "conflict");
  EXPECT_EQ(there("cat a"), "one\nchanged");
}

TEST_F(GitSyncTrouble, StartsInTheBackgroundFromTheCommandLine) {
  const Captured begun = run_yonder(words({"--background"}), environment());
  ASSERT_EQ(begun.status.code, 0) << begun.err;
  const std::string id(trim(begun.out));
  EXPECT_EQ(finished(std::stoll(id))["status"], "completed");
  EXPECT_EQ(head_there(), head());
  const Captured shown = run_yonder({"transfers", id}, environment());
  EXPECT_EQ(shown.status.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr(concat("updated: ", head())));
}

TEST_F(GitSyncTrouble, ATimeLimitSaysWhereHeadIs) {
  proxy().set_rate(50000);
  std::string message;
  // A limit that comes before the first look over there knows nothing: then there is more time.
  for (int limit = 4; message.find(old_head_words()) == std::string::npos; limit *= 2) {
    ASSERT_LT(limit, 64) << message;
    const Captured done =
        run_yonder(words({"--timeout", std::to_string(limit), "--json"}), environment());
    EXPECT_EQ(done.status.code, 255);
    const auto json = parse_json(done.out, "output");
    ASSERT_TRUE(json) << done.out << done.err;
    EXPECT_EQ((*json)["error"]["code"], "timeout");
    message = (*json)["error"]["message"];
  }
  expect_untouched();
}

}  // namespace
}  // namespace yonder::e2e
