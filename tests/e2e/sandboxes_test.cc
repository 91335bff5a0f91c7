#include "e2e/fixture.h"

namespace yonder::e2e {
namespace {

using namespace std::chrono_literals;

class Sandboxes : public EndToEnd {};

TEST_F(Sandboxes, AreAllAskedAtOnce) {
  lab::Sshd well = start_sshd();
  lab::Sshd frozen = start_sshd();
  const std::vector<std::string> users{"alice", "bob", "zoe", "finn", "tess", "nobash", "noisy"};
  std::vector<lab::SshHost> hosts;
  std::string config;
  const auto add = [&](const std::string& name, const lab::SshServer& server,
                       const std::string& user, std::chrono::seconds patience) {
    hosts.push_back(host("ssh-" + name, server, user));
    config += concat("[sandbox.", name, "]\nhost = \"ssh-", name,
                     "\"\nconnect_timeout_s = ", patience.count(), "\n");
  };
  constexpr int kFrozen = 5;
  constexpr auto kPatience = 3s;
  for (const auto& user : users) add("well-" + user, well, user, 60s);
  for (int i = 0; i < kFrozen; ++i) add(concat("frozen-", i), frozen, "alice", kPatience);
  write_hosts(hosts);
  write_config_toml(config);
  frozen.freeze();
  // The first time the program is sent everywhere, which takes as long as it takes.
  content_of(agent().call("list_sandboxes", Json::object()));
  const auto began = std::chrono::steady_clock::now();
  const Json list = content_of(agent().call("list_sandboxes", Json::object()));
  // Asked one after another, the frozen ones alone would take longer.
  EXPECT_LT(std::chrono::steady_clock::now() - began, kFrozen * kPatience);
  int alive = 0;
  int dead = 0;
  for (const auto& sandbox : list["sandboxes"]) {
    const std::string name = sandbox["name"];
    if (name.starts_with("well-")) {
      EXPECT_EQ(sandbox["connection_alive"], true) << sandbox;
      ++alive;
    }
    if (name.starts_with("frozen-")) {
      EXPECT_EQ(sandbox["connection_alive"], false) << sandbox;
      EXPECT_EQ(sandbox["connection_error"]["code"], "unreachable");
      ++dead;
    }
    // Aliases are known, but nobody asked for them.
    if (name.starts_with("ssh-")) {
      EXPECT_TRUE(sandbox["connection_alive"].is_null()) << sandbox;
    }
  }
  EXPECT_EQ(alive, 7);
  EXPECT_EQ(dead, kFrozen);
  frozen.thaw();
}

TEST_F(Sandboxes, AreSelectedForOneSessionOnly) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  write_config_toml("");
  auto other = new_agent();
  const Json selected = content_of(agent().call("select_sandbox", {{"sandbox_name", "box"}}));
  EXPECT_EQ(selected["active_sandbox"], "box");
  EXPECT_EQ(content_of(agent().call("get_active_sandbox", Json::object()))["active_sandbox"],
            "box");
  EXPECT_EQ(content_of(other->call("get_active_sandbox", Json::object()))["active_sandbox"],
            "local");
  EXPECT_EQ(content_of(agent().call("exec_bash", {{"command", "id -un"}}))["stdout"], "alice\n");
  EXPECT_EQ(content_of(other->call("exec_bash", {{"command", "id -un"}}))["stdout"], "root\n");
  EXPECT_EQ(error_of(agent().call("select_sandbox", {{"sandbox_name", "bax"}}))["code"],
            "not_found");
  EXPECT_EQ(content_of(agent().call("get_active_sandbox", Json::object()))["active_sandbox"],
            "box");
}

TEST_F(Sandboxes, ThatWereNamedNeverBecomeThisMachine) {
  write_hosts({});
  write_config_toml("");
  EXPECT_EQ(bash_error("true", {{"sandbox_name", "gpu1"}})["code"], "not_found");
  auto agent = new_agent({"REMOTE_HOST=no-such-host.invalid"});
  const Json error = error_of(agent->call("exec_bash", {{"command", "hostname"}}));
  EXPECT_EQ(error["code"], "unreachable") << error;
}

}  // namespace
}  // namespace yonder::e2e
