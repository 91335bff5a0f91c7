#include <map>

#include "e2e/fixture.h"

namespace yonder::e2e {
namespace {

class Sandboxes : public EndToEnd {
 protected:
  Json listed() {
    std::map<std::string, Json> by_name;
    const Json list = content_of(agent().call("list_sandboxes", Json::object()));
    for (const auto& sandbox : list["sandboxes"]) by_name.emplace(sandbox["name"], sandbox);
    return by_name;
  }

  // What each that was asked came to, listed again and again until all of them have an outcome.
  Json outcomes() {
    Json all = Json::object();
    EXPECT_TRUE(lab::eventually([&] {
      bool complete = true;
      const Json now = listed();
      for (const auto& [name, sandbox] : now.items()) {
        if (!sandbox["connection_alive"].is_null() && !all.contains(name)) all[name] = sandbox;
        if (!sandbox["connection_error"].is_null() && !all.contains(name)) complete = false;
      }
      return complete;
    }));
    return all;
  }
};

TEST_F(Sandboxes, AreAllAskedAtOnce) {
  lab::Sshd well = start_sshd();
  const std::vector<std::string> users{"alice", "bob", "zoe", "finn", "tess", "nobash", "noisy"};
  std::vector<lab::SshHost> hosts;
  std::string config;
  const auto add = [&](const std::string& name, const lab::SshHost& machine) {
    hosts.push_back(machine);
    config +=
        concat("[sandbox.", name, "]\nhost = \"", machine.alias, "\"\nconnect_timeout_s = 3600\n");
  };
  constexpr int kFrozen = 5;
  for (const auto& user : users) add("well-" + user, host("ssh-well-" + user, well, user));
  std::vector<std::unique_ptr<lab::FaultProxy>> lines;
  for (int i = 0; i < kFrozen; ++i) {
    lines.push_back(start_proxy(well.port()));
    lines.back()->stall();
    add(concat("frozen-", i), host(concat("ssh-frozen-", i), well, *lines.back()));
  }
  write_hosts(hosts);
  write_config_toml(config);
  listed();
  // None of the frozen ones answers, or is given up, and yet all of them are called.
  for (const auto& line : lines) {
    EXPECT_TRUE(lab::eventually([&] { return line->stats().connections > 0; }));
  }
  for (const auto& line : lines) {
    line->refuse();
    line->cut();
  }
  int alive = 0;
  int dead = 0;
  const Json all = outcomes();
  for (const auto& [name, sandbox] : all.items()) {
    if (name.starts_with("well-")) {
      EXPECT_EQ(sandbox["connection_alive"], true) << sandbox;
      ++alive;
    }
    if (name.starts_with("frozen-")) {
      EXPECT_EQ(sandbox["connection_alive"], false) << sandbox;
      EXPECT_EQ(sandbox["connection_error"]["code"], "unreachable");
      ++dead;
    }
    // Aliases are known, but not asked.
    EXPECT_FALSE(name.starts_with("ssh-")) << sandbox;
  }
  EXPECT_EQ(alive, 7);
  EXPECT_EQ(dead, kFrozen);
}

// The one that stalls would be waited for beyond what any test is patient for.
TEST_F(Sandboxes, ThatAnswerAreListedThoughAnotherOneStalls) {
  lab::Sshd well = start_sshd();
  const auto line = start_proxy(well.port());
  line->stall();
  write_hosts({host("ssh-well", well), host("ssh-frozen", well, *line)});
  write_config_toml(
      "[sandbox.well]\nhost = \"ssh-well\"\nconnect_timeout_s = 3600\n"
      "[sandbox.frozen]\nhost = \"ssh-frozen\"\nconnect_timeout_s = 3600\n");
  Json list;
  EXPECT_TRUE(lab::eventually([&] {
    list = listed();
    return list["well"]["connection_alive"] == true;
  }));
  EXPECT_EQ(list["frozen"]["connection_alive"], nullptr) << list;
  EXPECT_EQ(list["frozen"]["connection_error"]["message"], "no answer yet") << list;
  // When it is asked for again, what became of it is known.
  line->refuse();
  line->cut();
  EXPECT_EQ(outcomes()["frozen"]["connection_error"]["code"], "unreachable");
}

TEST_F(Sandboxes, AreSelectedForOneSessionOnly) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  write_config_toml("# no settings\n");
  auto other = new_agent();
  const Json selected = content_of(agent().call("select_sandbox", {{"sandbox_name", "box"}}));
  EXPECT_EQ(selected["active_sandbox"], "box");
  EXPECT_EQ(content_of(agent().call("get_active_sandbox", Json::object()))["active_sandbox"],
            "box");
  EXPECT_EQ(error_of(other->call("get_active_sandbox", Json::object()))["code"],
            "invalid_argument");
  EXPECT_EQ(content_of(agent().call("exec_bash", {{"command", "id -un"}}))["stdout"], "alice\n");
  EXPECT_EQ(error_of(other->call("exec_bash", {{"command", "id -un"}}))["code"],
            "invalid_argument");
  EXPECT_EQ(error_of(agent().call("select_sandbox", {{"sandbox_name", "bax"}}))["code"],
            "not_found");
  EXPECT_EQ(content_of(agent().call("get_active_sandbox", Json::object()))["active_sandbox"],
            "box");
}

TEST_F(Sandboxes, ThatWereNamedNeverBecomeThisMachine) {
  write_hosts({});
  write_config_toml("# no settings\n");
  EXPECT_EQ(bash_error("true", {{"sandbox_name", "gpu1"}})["code"], "not_found");
  auto agent = new_agent({"REMOTE_HOST=no-such-host.invalid"});
  const Json error = error_of(agent->call("exec_bash", {{"command", "hostname"}}));
  EXPECT_EQ(error["code"], "unreachable") << error;
}

}  // namespace
}  // namespace yonder::e2e
