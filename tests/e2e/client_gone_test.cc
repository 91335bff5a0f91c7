// What was read is done, though the client that asked for it has gone.
#include <signal.h>

#include "base/file.h"
#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

class AClientThatGoesAway : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    sshd_.emplace(start_sshd());  // with the key that was made just now
    write_hosts({host("far", *sshd_)});
  }
  void TearDown() override {
    EXPECT_TRUE(lab::kill_and_wait(lab::processes_matching(marker_)).empty());
  }

  // A command that says in a file that it has begun, and can be found in /proc.
  Json marked(const std::string& command, const std::string& sandbox) const {
    return {{"command", concat("touch ", begun_, "; ", command)},
            {"sandbox_name", sandbox},
            {"env", {{"E2E_MARK", marker_}}}};
  }
  bool has_begun() const {
    return lab::eventually([&] { return path_exists(begun_); });
  }

  // The run that was marked, as a list shows it.
  Json in_list(const Json& list) const {
    for (const auto& task : list.at("tasks")) {
      if (task.at("command").get<std::string>().find(begun_) != std::string::npos) return task;
    }
    return nullptr;
  }

  std::optional<lab::Sshd> sshd_;
  const std::string marker_ = new_marker();
  const std::string begun_ = new_open_directory() + "/begun";
};

TEST_F(AClientThatGoesAway, RightBehindABackgroundStartOverAColdLinkHasStartedIt) {
  const auto client = new_agent();
  client->call_async("exec_bash_background", marked("exec sleep 1000", "far"));
  EXPECT_TRUE(client->close());
  EXPECT_TRUE(has_begun());
  const Json task =
      in_list(content_of(agent().call("list_background_tasks", {{"sandbox_name", "far"}})));
  EXPECT_EQ(task["state"], "running") << task;
}

TEST_F(AClientThatGoesAway, RightBehindABackgroundStartOverAWarmLinkHasStartedIt) {
  const auto client = new_agent();
  content_of(client->call("exec_bash", exec_arguments("true", {{"sandbox_name", "far"}})));
  client->call_async("exec_bash_background", marked("exec sleep 1000", "far"));
  EXPECT_TRUE(client->close());
  EXPECT_TRUE(has_begun());
}

TEST_F(AClientThatGoesAway, RightBehindAStartOnAnyMachineHasStartedIt) {
  write_config_toml("[sandbox.one]\nhost = \"far\"\n");
  const auto client = new_agent();
  client->call_async("exec_bash_background", marked("exec sleep 1000", "auto"));
  EXPECT_TRUE(client->close());
  EXPECT_TRUE(has_begun());
}

TEST_F(AClientThatGoesAway, WithOneSignalAfterTheOtherHasStartedWhatWasRead) {
  const auto proxy = start_proxy(sshd_->port());
  proxy->set_delay(std::chrono::milliseconds(100));  // the link is not up before the signals
  write_hosts({host("far", *sshd_, *proxy)});
  const auto client = new_agent();
  client->call_async("exec_bash_background", marked("exec sleep 1000", "far"));
  ASSERT_TRUE(client->answers());
  ::kill(client->pid(), SIGHUP);
  ::kill(client->pid(), SIGTERM);
  int left = 10;  // so that some come when the second has been heard
  EXPECT_TRUE(lab::eventually([&] {
    if (left-- > 0) ::kill(client->pid(), SIGINT);
    return path_exists(begun_);
  }));
}

TEST_F(AClientThatGoesAway, RightBehindAStopHasStoppedIt) {
  content_of(agent().call("exec_bash_background", marked("exec sleep 1000", "far")));
  ASSERT_TRUE(has_begun());
  const Json task =
      in_list(content_of(agent().call("list_background_tasks", {{"sandbox_name", "far"}})));
  const auto client = new_agent();
  client->call_async("stop_background_task", {{"run_id", task["run_id"]}});
  EXPECT_TRUE(client->close());
  EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching(marker_).empty(); }));
}

TEST_F(AClientThatGoesAway, LeavesACommandThatIsInTheLists) {
  const auto client = new_agent();
  client->call_async("exec_bash", marked("exec sleep 1000", "far"));
  ASSERT_TRUE(has_begun());
  EXPECT_TRUE(client->close());
  EXPECT_FALSE(lab::processes_matching(marker_).empty());

  const Json task = in_list(content_of(agent().call("list_background_tasks", {{"all", true}})));
  EXPECT_EQ(task["state"], "running") << task;
  EXPECT_EQ(task["kind"], "exec") << task;

  const auto listed = run_yonder({"ps", "--all", "--scan", "--json"}, environment());
  const auto json = parse_json(listed.out, "yonder ps");
  ASSERT_TRUE(json) << listed.out << listed.err;
  EXPECT_EQ(in_list(*json)["run_id"], task["run_id"]);
}

}  // namespace
}  // namespace yonder::e2e
