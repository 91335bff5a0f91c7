// Which machine is meant, and what happens when the settings change or name none.

#include <filesystem>
#include <fstream>

#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Settings : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    sshd_.emplace(start_sshd());
    write_hosts({});
  }

  // One sandbox, which no alias stands behind.
  std::string only_z() const {
    return concat("[sandbox.z]\nhost = \"127.0.0.1\"\nport = ", sshd_->port(),
                  "\nuser = \"alice\"\nkey_file = \"", key().path,
                  "\"\nhost_keys = \"accept-new\"\n");
  }
  std::string file() { return lab().client_home() + "/.config/yonder/config.toml"; }

  Captured yonder(const std::vector<std::string>& arguments) {
    return run_yonder(arguments, environment());
  }
  Json json_of(const std::vector<std::string>& arguments) {
    const Captured done = yonder(arguments);
    return Json::parse(done.out, nullptr, false);
  }
  // The agent of all tests, unless a test has started another one.
  McpClient& agent() { return agent_ ? *agent_ : EndToEnd::agent(); }
  Json whoami() { return content_of(agent().call("exec_bash", {{"command", "id -un"}})); }
  Json list() { return content_of(agent().call("list_sandboxes", Json::object())); }

  std::optional<lab::Sshd> sshd_;
  std::unique_ptr<McpClient> agent_;
};

TEST_F(Settings, ThatAreEmptiedOrRemovedDoNotSendAnAgentToThisMachine) {
  write_config_toml(only_z());
  agent_ = new_agent({"YONDER_TOOLSETS=core,files"});
  EXPECT_EQ(whoami()["stdout"], "alice\n");
  const auto expect_kept = [&](const std::string& why) {
    const Json done = whoami();
    EXPECT_EQ(done["stdout"], "alice\n") << why;
    EXPECT_EQ(done["sandbox"], "z") << why;
    EXPECT_THAT(done["warnings"].dump(), HasSubstr(why));
    EXPECT_THAT(list()["warnings"].dump(), HasSubstr(why));
    content_of(agent().call("write_remote_file", {{"remote_path", "kept"}, {"content", why}}));
    EXPECT_EQ(content_of(agent().call("exec_bash", {{"command", "cat ~alice/kept"}}))["stdout"],
              why);
  };
  std::ofstream(file(), std::ios::trunc).flush();
  expect_kept("config.toml is empty");
  std::filesystem::remove(file());
  expect_kept("config.toml is gone");
  // An edit that takes it out leaves the agent without a machine, and not with this one.
  write_config_toml("# nothing\n");
  const Json error = error_of(agent().call("exec_bash", {{"command", "id -un"}}));
  EXPECT_EQ(error["code"], "not_found") << error;
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("\"z\" is not in the settings"));
}

TEST_F(Settings, ThatAreEmptiedBeforeTheFirstCallDoNotEither) {
  write_config_toml(only_z());
  ASSERT_TRUE(agent().answers());
  std::filesystem::remove(file());
  EXPECT_EQ(whoami()["stdout"], "alice\n");
}

TEST_F(Settings, KeepASessionOnItsSandboxWhenAnotherOneBecomesActive) {
  write_config_toml(only_z());
  EXPECT_EQ(list()["active_sandbox"], "z");
  EXPECT_EQ(yonder({"use", "local"}).status.code, 0);
  EXPECT_EQ(whoami()["stdout"], "alice\n");
  EXPECT_EQ(json_of({"hosts", "--json"})["active_sandbox"], "local");
}

TEST_F(Settings, MustNameAMachineWhereThereAreAliases) {
  write_hosts({host("box", *sshd_), host("other", *sshd_)});
  const std::string mark = new_open_directory() + "/here";
  for (const std::string command : {"exec", "run"}) {
    const Captured refused = yonder({command, "--", "touch " + mark});
    EXPECT_EQ(refused.status.code, 255);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("no sandbox was named"), HasSubstr("box, other"),
                                   HasSubstr("yonder use NAME")));
  }
  const Json error = error_of(agent().call("exec_bash", {{"command", "touch " + mark}}));
  EXPECT_EQ(error["code"], "invalid_argument") << error;
  EXPECT_EQ(list()["active_sandbox"], nullptr);
  EXPECT_FALSE(std::filesystem::exists(mark));
  EXPECT_EQ(yonder({"exec", "local", "--", "touch " + mark}).status.code, 0);
  EXPECT_TRUE(std::filesystem::exists(mark));
}

TEST_F(Settings, AreChangedByUseAddAndRemove) {
  write_hosts({host("box", *sshd_), host("other", *sshd_, "bob")});
  const Json used = json_of({"use", "box", "--json"});
  EXPECT_EQ(used["active_sandbox"], "box") << used;
  EXPECT_EQ(used["changed"], true);
  EXPECT_EQ(file_text(file()), "active = \"box\"\n");
  EXPECT_EQ(yonder({"exec", "--", "id -un"}).out, "alice\n");
  const Captured added = yonder({"add", "lab", "other", "--cwd", "/tmp", "--label", "l"});
  EXPECT_EQ(added.status.code, 0) << added.err;
  EXPECT_THAT(added.err, AllOf(HasSubstr("added lab"), HasSubstr("box is the active sandbox")));
  EXPECT_EQ(yonder({"exec", "lab", "--", "id -un; pwd"}).out, "bob\n/tmp\n");
  EXPECT_EQ(yonder({"use", "lab"}).status.code, 0);
  const Captured removed = yonder({"remove", "lab"});
  EXPECT_THAT(removed.err, AllOf(HasSubstr("removed lab"), HasSubstr("no sandbox is active now")));
  EXPECT_EQ(yonder({"exec", "--", "id -un"}).status.code, 255);
  EXPECT_THAT(file_text(file()), Not(HasSubstr("lab")));
}

TEST_F(Settings, AreNotMadeInvalid) {
  const std::string text = "# mine\n" + only_z();
  write_config_toml(text);
  for (const auto& words : std::vector<std::vector<std::string>>{{"use", "nowhere"},
                                                                 {"use", "me@10.0.0.7"},
                                                                 {"use", "auto"},
                                                                 {"add", "z", "x"},
                                                                 {"add", "a b", "x"},
                                                                 {"add", "a", "u:secret1@x"},
                                                                 {"remove", "nowhere"},
                                                                 {"remove", "local"}}) {
    const Captured refused = yonder(words);
    EXPECT_EQ(refused.status.code, 255) << words[0] << words[1] << refused.err;
    EXPECT_THAT(refused.err, Not(HasSubstr("secret1")));
  }
  EXPECT_EQ(file_text(file()), text);
}

TEST_F(Settings, ThatOthersCanWriteAreNotObeyed) {
  write_config_toml(only_z());
  std::filesystem::permissions(file(), std::filesystem::perms(0666));
  const Captured refused = yonder({"exec", "z", "--", "true"});
  EXPECT_EQ(refused.status.code, 255);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("may be written by other users"), HasSubstr("chmod go-w " + file())));
}

TEST_F(Settings, TakeNoPasswordInAnAddress) {
  const Captured refused = yonder({"exec", "ssh://alice:hunter2@127.0.0.1", "--", "true"});
  EXPECT_EQ(refused.status.code, 255);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("holds a password"), Not(HasSubstr("hunter2"))));
}

TEST_F(Settings, OfSshAloneAreEnoughToAskAboutMachines) {
  lab::SshHost pattern = host("all-*", *sshd_);
  write_hosts({host("box", *sshd_), host("other", *sshd_, "bob"), pattern});
  const Json checked = json_of({"hosts", "--check", "--wait", "600", "--json"});
  std::size_t alive = 0;
  for (const auto& one : checked["sandboxes"]) {
    if (one["connection_alive"] == true) ++alive;
  }
  EXPECT_EQ(alive, 3U) << checked.dump(2);  // with `local`
  EXPECT_EQ(checked["not_asked"], nullptr);
  const Json named = json_of({"hosts", "--check", "--wait", "600", "--json", "other"});
  ASSERT_EQ(named["sandboxes"].size(), 1U) << named.dump(2);
  EXPECT_EQ(named["sandboxes"][0]["connection_alive"], true);
  EXPECT_EQ(json_of({"gpus", "--json"})["machines"].size(), 3U);
  EXPECT_EQ(json_of({"top", "--once", "--json"})["machines"].size(), 3U);
  EXPECT_EQ(json_of({"doctor", "--json"})["sandboxes"].size(), 3U);
  // Agents do not call them all, and are told so; work is not placed on them.
  EXPECT_THAT(list()["not_asked"].dump(), HasSubstr("2 aliases"));
  const Captured placed = yonder({"exec", "auto", "--", "true"});
  EXPECT_EQ(placed.status.code, 255);
  EXPECT_THAT(placed.err, AllOf(HasSubstr("yonder add NAME HOST"), Not(HasSubstr("ask for less"))));
}

}  // namespace
}  // namespace yonder::e2e
