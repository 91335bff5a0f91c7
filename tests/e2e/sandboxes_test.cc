#include <map>

#include "e2e/fixture.h"

namespace yonder::e2e {
namespace {

using namespace std::chrono_literals;

class Sandboxes : public EndToEnd {
 protected:
  // What each has said first, asked again and again until so many have.
  std::map<std::string, Json> first_answers(std::size_t count) {
    std::map<std::string, Json> told;
    const Deadline deadline = patience();
    while (told.size() < count && !deadline.expired()) {
      const Json list = content_of(agent().call("list_sandboxes", Json::object()));
      for (const auto& sandbox : list["sandboxes"]) {
        if (sandbox["connection_alive"].is_null()) continue;
        told.emplace(sandbox["name"].get<std::string>(), sandbox);
      }
    }
    return told;
  }
};

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
  const std::size_t all = users.size() + kFrozen + 1;
  ASSERT_EQ(first_answers(all).size(), all);
  const auto began = std::chrono::steady_clock::now();
  const std::map<std::string, Json> told = first_answers(all);
  // Asked one after another, the frozen ones alone would take longer.
  EXPECT_LT(std::chrono::steady_clock::now() - began, kFrozen * kPatience);
  ASSERT_EQ(told.size(), all);
  for (const auto& [name, sandbox] : told) {
    EXPECT_EQ(sandbox["connection_alive"], !name.starts_with("frozen-")) << sandbox;
    if (name.starts_with("frozen-")) {
      EXPECT_EQ(sandbox["connection_error"]["code"], "unreachable");
    }
    // Aliases are known, but not asked.
    EXPECT_FALSE(name.starts_with("ssh-")) << sandbox;
  }
  frozen.thaw();
}

TEST_F(Sandboxes, ThatAnswerAreToldAtOnceThoughAnotherOneStalls) {
  lab::Sshd well = start_sshd();
  lab::Sshd frozen = start_sshd();
  write_hosts({host("ssh-well", well), host("ssh-frozen", frozen)});
  write_config_toml(
      "[sandbox.well]\nhost = \"ssh-well\"\n"
      "[sandbox.frozen]\nhost = \"ssh-frozen\"\nconnect_timeout_s = 12\n");
  bash("true", {{"sandbox_name", "well"}});
  frozen.freeze();
  const auto began = std::chrono::steady_clock::now();
  const Json list = content_of(agent().call("list_sandboxes", Json::object()));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 6s);
  for (const auto& sandbox : list["sandboxes"]) {
    if (sandbox["name"] == "well") {
      EXPECT_EQ(sandbox["connection_alive"], true) << sandbox;
    }
    if (sandbox["name"] == "frozen") {
      EXPECT_EQ(sandbox["connection_alive"], nullptr) << sandbox;
      EXPECT_EQ(sandbox["connection_error"]["message"], "no answer yet") << sandbox;
    }
  }
  // Whoever asks again hears what became of it.
  EXPECT_EQ(first_answers(3)["frozen"]["connection_error"]["code"], "unreachable");
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
