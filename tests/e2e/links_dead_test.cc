#include <functional>

#include "base/file.h"
#include "e2e/links_fixture.h"

namespace yonder::e2e {
namespace {

using namespace std::chrono_literals;

// For what must not be given up before a test is done with it.
constexpr const char* kNoLimit = "connect_timeout_s = 3600\n";
constexpr const char* kFrozenFor =
    "[sandbox.frozen]\nhost = \"ssh-frozen\"\nconnect_timeout_s = 3600\n";

class LinksDead : public OneLink {
 protected:
  // What is said of a run that goes on, by a call whose wait ends while the link is dead. One whose
  // wait ended before the link could die has seen it running, and shows nothing.
  Json seen_over_dead_link(const Counted& counted, void (lab::FaultProxy::*revive)(),
                           const std::function<void()>& kill) {
    Json seen = bash(counted.command, {{"sandbox_name", "box"}, {"wait_s", 0}});
    const std::string run = seen["run_id"];
    EXPECT_TRUE(has_begun(counted));
    for (double wait = 1; wait < 200; wait *= 2) {
      const int id = agent().call_async(
          "exec_bash", {{"run_id", run}, {"sandbox_name", "box"}, {"wait_s", wait}});
      EXPECT_TRUE(agent().answers());
      kill();
      seen = result_of(id);
      if (seen["state"] != "running") return seen;
      (proxy().*revive)();
    }
    return seen;
  }
};

TEST_F(LinksDead, UntilTheWaitIsOverMakeTheStateUnknown) {
  const Counted counted = endless(6);
  const Json unseen = seen_over_dead_link(counted, &lab::FaultProxy::accept, [&] {
    proxy().refuse();
    proxy().cut();
  });
  EXPECT_EQ(unseen["state"], "unknown");
  EXPECT_EQ(unseen["connection_error"], true);
  EXPECT_EQ(unseen["running"], nullptr);
  EXPECT_TRUE(unseen["exit_code"].is_null());
  ASSERT_FALSE(unseen["run_id"].get<std::string>().empty());
  // Still out of reach: asking again says so, and starts nothing.
  const Json still =
      bash("", {{"run_id", unseen["run_id"]}, {"sandbox_name", "box"}, {"wait_s", 1}});
  EXPECT_EQ(still["state"], "unknown");
  EXPECT_EQ(still["connection_error"], true);
  proxy().accept();
  let_go_on(counted);
  Json done = bash("", {{"run_id", unseen["run_id"]}});  // the session knows where it ran
  EXPECT_EQ(done["attached"], true);
  done["attached"] = false;
  expect_whole(done, counted);
}

// After how long is up to LinkSettings.
TEST_F(LinksDead, AreNoticedThoughNothingTellsOfTheirEnd) {
  const Counted counted = count_to_200(8);
  const int id = begin(counted);
  ASSERT_TRUE(has_begun(counted));
  proxy().stall();
  const auto connections = proxy().stats().connections;
  EXPECT_TRUE(lab::eventually([&] { return proxy().stats().connections > connections; }));
  proxy().resume();
  expect_whole(result_of(id), counted);
}

TEST_F(LinksDead, StillLetACallReturnInTime) {
  const Counted counted = endless(8);
  const Json unseen =
      seen_over_dead_link(counted, &lab::FaultProxy::resume, [&] { proxy().stall(); });
  EXPECT_EQ(unseen["state"], "unknown");
  EXPECT_EQ(unseen["connection_error"], true);
  proxy().resume();
  let_go_on(counted);
  Json done = bash("", {{"run_id", unseen["run_id"]}});
  done["attached"] = false;
  expect_whole(done, counted);
}

TEST_F(LinksDead, DoNotDelayOtherMachines) {
  lab::Sshd well = start_sshd();
  lab::Sshd frozen = start_sshd();
  write_hosts({host("box", sshd(), proxy()), host("well", well), host("ssh-frozen", frozen)});
  write_config_toml(concat(kFrozenFor, "[sandbox.stalled]\nhost = \"box\"\n", kNoLimit));
  bash("true", {{"sandbox_name", "stalled"}});
  proxy().stall();
  frozen.freeze();
  // Neither ends, nor is given up, before the others have had their turn.
  const int stalled = agent().call_async(
      "exec_bash", exec_arguments("echo late", {{"sandbox_name", "stalled"}, {"wait_s", 3000}}));
  const int hanging = agent().call_async(
      "exec_bash", exec_arguments("true", {{"sandbox_name", "frozen"}, {"wait_s", 3000}}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bash("echo quick", {{"sandbox_name", "well"}})["stdout"], "quick\n");
  }
  EXPECT_FALSE(agent().has_reply(stalled));
  EXPECT_FALSE(agent().has_reply(hanging));
  proxy().resume();
  frozen.thaw();
  EXPECT_EQ(result_of(stalled)["stdout"], "late\n");
  EXPECT_EQ(result_of(hanging)["exit_code"], 0);
}

TEST_F(LinksDead, ToAMachineThatRefusesAreAnErrorAtOnce) {
  lab::Sshd other = start_sshd();
  auto line = start_proxy(other.port());
  write_hosts({host("ssh-other", other, *line)});
  write_config_toml(concat("[sandbox.other]\nhost = \"ssh-other\"\n", kNoLimit));
  line->refuse();
  const std::string proof = new_open_directory() + "/ran";
  // There is time for more, but nothing is tried again.
  const Json error = bash_error("touch " + proof, {{"sandbox_name", "other"}, {"wait_s", 3000}});
  EXPECT_EQ(error["code"], "unreachable");
  EXPECT_EQ(error["retryable"], true);
  EXPECT_THAT(error["message"].get<std::string>(), ::testing::HasSubstr("refused"));
  EXPECT_FALSE(path_exists(proof));
  line->accept();
  EXPECT_EQ(bash("echo back", {{"sandbox_name", "other"}})["stdout"], "back\n");
}

TEST_F(LinksDead, ToAMachineThatHangsAreGivenUpAfterTheConnectTimeout) {
  lab::Sshd frozen = start_sshd();
  write_hosts({host("ssh-frozen", frozen)});
  write_config_toml(
      concat(kFrozenFor, "[sandbox.slow]\nhost = \"ssh-frozen\"\nconnect_timeout_s = 2\n"));
  frozen.freeze();
  const auto began = std::chrono::steady_clock::now();
  const int patient = agent().call_async(
      "exec_bash", exec_arguments("echo back", {{"sandbox_name", "frozen"}, {"wait_s", 3000}}));
  const Json error = bash_error("true", {{"sandbox_name", "slow"}});
  EXPECT_EQ(error["code"], "unreachable") << error;
  EXPECT_GT(std::chrono::steady_clock::now() - began, 1s);
  EXPECT_FALSE(agent().has_reply(patient)) << "who has set another limit goes on";
  frozen.thaw();
  EXPECT_EQ(result_of(patient)["stdout"], "back\n");
}

TEST_F(LinksDead, DoNotHangAnAgentThatLeaves) {
  lab::Sshd frozen = start_sshd();
  write_hosts({host("ssh-frozen", frozen)});
  write_config_toml(kFrozenFor);
  frozen.freeze();
  auto leaving = new_agent();
  leaving->call_async("exec_bash",
                      exec_arguments("true", {{"sandbox_name", "frozen"}, {"wait_s", 3000}}));
  ASSERT_TRUE(leaving->answers());
  // What it has asked for is still tried for a while, though not for as long as it said.
  const auto status = leaving->close();
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->success());
}

TEST_F(LinksDead, AreNotNeededMoreThanOncePerMachine) {
  lab::Sshd narrow = start_sshd({.config = {"MaxSessions 1"}});
  write_hosts({host("narrow", narrow)});
  std::vector<int> calls;
  for (int i = 0; i < 20; ++i) {
    calls.push_back(agent().call_async(
        "exec_bash", exec_arguments(concat("sleep 0.3; echo ", i), {{"sandbox_name", "narrow"}})));
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(result_of(calls[static_cast<std::size_t>(i)])["stdout"], concat(i, "\n"));
  }
  EXPECT_EQ(narrow.sessions(), 1u);
}

}  // namespace
}  // namespace yonder::e2e
