#include "base/file.h"
#include "e2e/links_fixture.h"

namespace yonder::e2e {
namespace {

using namespace std::chrono_literals;

class LinksDead : public OneLink {};

TEST_F(LinksDead, UntilTheWaitIsOverMakeTheStateUnknown) {
  const Counted counted = count_to_200(6);
  const int id = begin(counted, {{"wait_s", 2}});
  ASSERT_TRUE(has_begun(counted));
  proxy().refuse();
  proxy().cut();
  const Json unseen = result_of(id, Deadline::after(15s));
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
  Json done = bash("", {{"run_id", unseen["run_id"]}});  // the session knows where it ran
  EXPECT_EQ(done["attached"], true);
  done["attached"] = false;
  expect_whole(done, counted);
}

TEST_F(LinksDead, AreNoticedWithinThirtySeconds) {
  const Counted counted = count_to_200(8);
  const int id = begin(counted, {{"wait_s", 100}});
  ASSERT_TRUE(has_begun(counted));
  proxy().stall();
  const auto connections = proxy().stats().connections;
  EXPECT_TRUE(lab::eventually([&] { return proxy().stats().connections > connections; },
                              Deadline::after(30s)));
  proxy().resume();
  expect_whole(result_of(id), counted);
}

TEST_F(LinksDead, StillLetACallReturnInTime) {
  const Counted counted = count_to_200(8);
  const int id = begin(counted, {{"wait_s", 1}});
  ASSERT_TRUE(has_begun(counted));
  proxy().stall();
  const Json unseen = result_of(id, Deadline::after(10s));
  EXPECT_EQ(unseen["state"], "unknown");
  EXPECT_EQ(unseen["connection_error"], true);
  proxy().resume();
  Json done = bash("", {{"run_id", unseen["run_id"]}});
  done["attached"] = false;
  expect_whole(done, counted);
}

TEST_F(LinksDead, DoNotDelayOtherMachines) {
  lab::Sshd well = start_sshd();
  lab::Sshd frozen = start_sshd();
  write_hosts({host("box", sshd(), proxy()), host("well", well), host("frozen", frozen)});
  proxy().stall();
  frozen.freeze();
  const int stalled = agent().call_async(
      "exec_bash", exec_arguments("echo late", {{"sandbox_name", "box"}, {"wait_s", 100}}));
  const int hanging =
      agent().call_async("exec_bash", exec_arguments("true", {{"sandbox_name", "frozen"}}));
  for (int i = 0; i < 3; ++i) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(bash("echo quick", {{"sandbox_name", "well"}})["stdout"], "quick\n");
    EXPECT_LT(std::chrono::steady_clock::now() - began, 8s);
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
  write_hosts({host("other", other, *line)});
  line->refuse();
  const std::string proof = new_open_directory() + "/ran";
  const auto began = std::chrono::steady_clock::now();
  const Json error = bash_error("touch " + proof, {{"sandbox_name", "other"}});
  EXPECT_LT(std::chrono::steady_clock::now() - began, 8s);
  EXPECT_EQ(error["code"], "unreachable");
  EXPECT_EQ(error["retryable"], true);
  EXPECT_THAT(error["message"].get<std::string>(), ::testing::HasSubstr("refused"));
  EXPECT_FALSE(path_exists(proof));
  line->accept();
  EXPECT_EQ(bash("echo back", {{"sandbox_name", "other"}})["stdout"], "back\n");
}

TEST_F(LinksDead, ToAMachineThatHangsAreGivenUpAfterTheConnectTimeout) {
  lab::Sshd frozen = start_sshd();
  write_hosts({host("frozen", frozen)});
  write_config_toml("[sandbox.slow]\nhost = \"frozen\"\nconnect_timeout_s = 2\n");
  frozen.freeze();
  const auto began = std::chrono::steady_clock::now();
  const Json error = bash_error("true", {{"sandbox_name", "slow"}});
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(error["code"], "unreachable") << error;
  EXPECT_GT(took, 1s);
  EXPECT_LT(took, 9s);
  frozen.thaw();
  EXPECT_EQ(bash("echo back", {{"sandbox_name", "slow"}})["stdout"], "back\n");
}

TEST_F(LinksDead, DoNotHangAnAgentThatLeaves) {
  lab::Sshd frozen = start_sshd();
  write_hosts({host("frozen", frozen)});
  frozen.freeze();
  auto leaving = new_agent();
  leaving->call_async("exec_bash", exec_arguments("true", {{"sandbox_name", "frozen"}}));
  ASSERT_TRUE(leaving->answers());
  // What it has asked for is still tried, for as long as a connection may take.
  const auto status = leaving->close(Deadline::after(40s));
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
