#include <filesystem>

#include "base/file.h"
#include "e2e/auth_fixture.h"
#include "lab/ssh_agent.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Auth : public AuthTest {};

TEST_F(Auth, WorksByKeyOfTheEnvironment) {
  lab::Sshd sshd = start_sshd();
  auto agent = new_agent({"REMOTE_HOST=127.0.0.1", concat("REMOTE_PORT=", sshd.port()),
                          "REMOTE_USER=alice", "REMOTE_KEY_FILE=" + key().path});
  EXPECT_EQ(whoami(*agent, "127.0.0.1"), "alice\n");
  EXPECT_EQ(whoami(*agent, ""), "alice\n");  // the machine that was named is the active one
}

TEST_F(Auth, WorksByKeyWithItsPassphrase) {
  lab::Sshd sshd = start_sshd();
  const lab::SshKey locked = new_locked_key("open sesame");
  ASSERT_TRUE(sshd.authorize(locked.public_key));
  const auto list = [&](const std::string& passphrase) {
    return "REMOTE_SANDBOX_LIST=" + dump_json(Json::array({{{"name", "vault"},
                                                            {"host", "127.0.0.1"},
                                                            {"port", sshd.port()},
                                                            {"user", "alice"},
                                                            {"key_file", locked.path},
                                                            {"key_passphrase", passphrase}}}));
  };
  auto knows = new_agent({list("open sesame")});
  EXPECT_EQ(whoami(*knows, "vault"), "alice\n");
  auto guesses = new_agent({list("open barley")});
  const Json error =
      error_of(guesses->call("exec_bash", exec_arguments("true", {{"sandbox_name", "vault"}})));
  EXPECT_EQ(error["code"], "auth_needed") << error;
  EXPECT_THAT(dump_json(error), Not(HasSubstr("barley")));
}

TEST_F(Auth, WorksByPassword) {
  lab::Sshd sshd = start_sshd();
  auto agent = new_agent(by_password(sshd, "alice", "alice-pw"));
  EXPECT_EQ(whoami(*agent, "127.0.0.1"), "alice\n");
}

TEST_F(Auth, WorksByKeyboardInteractivePassword) {
  lab::Sshd sshd = start_sshd({.login = lab::Login::KeyboardInteractive});
  auto agent = new_agent(by_password(sshd, "bob", "bob-pw"));
  EXPECT_EQ(whoami(*agent, "127.0.0.1"), "bob\n");
}

TEST_F(Auth, WorksByAgent) {
  lab::Sshd sshd = start_sshd();
  auto ssh_agent = lab::SshAgent::start(lab());
  ASSERT_TRUE(ssh_agent) << ssh_agent.error().message;
  ASSERT_TRUE(ssh_agent->add(lab(), key()));
  lab::SshHost without_key = host("box", sshd);
  without_key.identity_file.clear();
  write_hosts({without_key});
  auto agent = new_agent(ssh_agent->environment());
  EXPECT_EQ(whoami(*agent, "box"), "alice\n");
}

TEST_F(Auth, FindsAnAgentInItsUsualPlaceWithoutTheVariable) {
  lab::Sshd sshd = start_sshd();
  auto ssh_agent = lab::SshAgent::start(lab());
  ASSERT_TRUE(ssh_agent) << ssh_agent.error().message;
  ASSERT_TRUE(ssh_agent->add(lab(), key()));
  lab::SshHost without_key = host("box", sshd);
  without_key.identity_file.clear();
  write_hosts({without_key});
  const Json refused = bash_error("true", {{"sandbox_name", "box"}});
  EXPECT_EQ(refused["code"], "auth_needed") << refused;
  EXPECT_THAT(refused["hint"].get<std::string>(), ::testing::HasSubstr("SSH_AUTH_SOCK is not set"));
  const std::string socket = ssh_agent->environment().front().substr(sizeof "SSH_AUTH_SOCK");
  std::string runtime;
  for (const auto& entry : environment()) {
    if (entry.starts_with("XDG_RUNTIME_DIR=")) runtime = entry.substr(sizeof "XDG_RUNTIME_DIR");
  }
  std::filesystem::create_symlink(socket, runtime + "/ssh-agent.socket");
  auto agent = new_agent();
  EXPECT_EQ(whoami(*agent, "box"), "alice\n");
}

TEST_F(Auth, WorksByPasswordCommand) {
  lab::Sshd sshd = start_sshd();
  lab::SshHost without_key = host("box", sshd);
  without_key.identity_file.clear();
  write_hosts({without_key});
  const std::string store = new_open_directory() + "/store";
  ASSERT_TRUE(write_file_atomically(store, "alice-pw\n", Durability::Process));
  write_config_toml(
      concat("[sandbox.box]\nhost = \"box\"\npassword_command = \"cat ", store, "\"\n"));
  EXPECT_EQ(whoami(agent(), "box"), "alice\n");
}

TEST_F(Auth, APasswordCommandThatHangsOrFailsIsNamedInTheError) {
  lab::Sshd sshd = start_sshd();
  lab::SshHost without_key = host("box", sshd);
  without_key.identity_file.clear();
  write_hosts({without_key});
  const auto sandbox = [](const std::string& name, const std::string& command) {
    return concat("[sandbox.", name, "]\nhost = \"box\"\nconnect_timeout_s = 3\n",
                  "password_command = \"", command, "\"\n");
  };
  write_config_toml(sandbox("hangs", "sleep 600") + sandbox("fails", "exit 3"));
  const auto error = [&](const std::string& name) {
    return bash_error("true", Json{{"sandbox_name", name}});
  };
  const Json hangs = error("hangs");
  EXPECT_EQ(hangs["code"], "auth_needed") << hangs;
  EXPECT_THAT(hangs["message"].get<std::string>(), HasSubstr("password_command has not ended"));
  EXPECT_THAT(hangs["hint"].get<std::string>(), HasSubstr("by hand"));
  const Json fails = error("fails");
  EXPECT_EQ(fails["code"], "auth_needed") << fails;
  EXPECT_THAT(fails["message"].get<std::string>(), HasSubstr("password_command ended with code 3"));
}

TEST_F(Auth, WorksThroughAnotherMachine) {
  lab::need(lab::Need::Users);
  lab::Sshd outer = start_sshd();
  lab::Sshd inner = start_sshd();
  lab::SshHost behind = host("inner", inner, "bob");
  behind.extra = {"ProxyJump outer"};
  write_hosts({host("outer", outer), behind});
  EXPECT_EQ(whoami(agent(), "inner"), "bob\n");
  EXPECT_EQ(outer.sessions(), 1u);
}

TEST_F(Auth, IsTriedOnceWithAWrongPassword) {
  lab::Sshd sshd = start_sshd();
  auto agent = new_agent(by_password(sshd, "alice", "not-her-pw"));
  for (int i = 0; i < 2; ++i) {
    const Json error =
        error_of(agent->call("exec_bash", exec_arguments("true", {{"sandbox_name", ""}})));
    EXPECT_EQ(error["code"], "auth_needed") << error;
    EXPECT_EQ(error["retryable"], false);
    EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("yonder login 127.0.0.1"));
    EXPECT_THAT(dump_json(error), Not(HasSubstr("not-her-pw")));
  }
  EXPECT_EQ(occurrences(sshd.log(), "Failed password"), 1u) << sshd.log();
  EXPECT_EQ(occurrences(sshd.log(), "Connection from"), 1u) << sshd.log();
  EXPECT_THAT(agent->errors(), Not(HasSubstr("not-her-pw")));
}

TEST_F(Auth, WithoutASecretAsksForAPerson) {
  lab::Sshd sshd = start_sshd();
  lab::SshHost without_key = host("box", sshd);
  without_key.identity_file.clear();
  write_hosts({without_key});
  const std::string proof = new_open_directory() + "/ran";
  const Json error = bash_error("touch " + proof, {{"sandbox_name", "box"}});
  EXPECT_EQ(error["code"], "auth_needed") << error;
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("yonder login box"));
  EXPECT_EQ(occurrences(sshd.log(), "Failed password"), 0u) << sshd.log();
  EXPECT_FALSE(path_exists(proof));
}

TEST_F(Auth, OfAMachineThatRefusesTheKeyIsNotRepeated) {
  lab::Sshd sshd = start_sshd({.config = {"PasswordAuthentication no"}});
  const lab::SshKey other = new_locked_key("");
  lab::SshHost stranger = host("box", sshd);
  stranger.identity_file = other.path;
  write_hosts({stranger});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bash_error("true", {{"sandbox_name", "box"}})["code"], "auth_needed");
  }
  EXPECT_EQ(occurrences(sshd.log(), "Connection from"), 1u) << sshd.log();
}

TEST_F(Auth, LostInTheMiddleEndsTheWaitAtOnce) {
  // The machine comes back, but does not let us in any more: no hammering, and no false end.
  lab::Sshd sshd = start_sshd();
  auto agent = new_agent(by_password(sshd, "alice", "alice-pw"));
  const Json more{{"sandbox_name", "127.0.0.1"}, {"env", {{"E2E_MARK", new_marker()}}}};
  const std::string marker = more["env"]["E2E_MARK"];
  EXPECT_EQ(whoami(*agent, "127.0.0.1"), "alice\n");
  const std::string gate = new_open_directory() + "/gate";
  const int id = agent->call_async("exec_bash", exec_arguments(until(gate) + "echo done", more));
  ASSERT_TRUE(lab::eventually([&] { return !lab::processes_matching(marker).empty(); }));
  change_password("alice", "another-pw");
  sshd.kill_sessions();
  const Json unseen = content_of(agent->wait(id));
  EXPECT_EQ(unseen["state"], "unknown") << unseen;
  EXPECT_EQ(unseen["connection_error"], true);
  EXPECT_EQ(occurrences(sshd.log(), "Failed password"), 1u) << sshd.log();
  change_password("alice", "alice-pw");
  ASSERT_TRUE(write_file_atomically(gate, "", Durability::Process));
  EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching(marker).empty(); }));
  auto later = new_agent(by_password(sshd, "alice", "alice-pw"));
  const Json done = content_of(later->call(
      "exec_bash", exec_arguments("", {{"run_id", unseen["run_id"]}, {"sandbox_name", ""}})));
  EXPECT_EQ(done["stdout"], "done\n");
}

class HostKeys : public AuthTest {};

TEST_F(HostKeys, ThatAreUnknownAreForAPersonToAccept) {
  lab::Sshd sshd = start_sshd();
  lab::SshHost unknown = host("stranger", sshd);
  unknown.host_key.clear();
  unknown.extra = {"StrictHostKeyChecking ask"};
  write_hosts({unknown});
  const Json error = bash_error("true", {{"sandbox_name", "stranger"}});
  EXPECT_EQ(error["code"], "host_key") << error;
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("yonder login stranger"));
  EXPECT_EQ(file_text(lab::known_hosts_path(lab(), "stranger")), "");
}

TEST_F(HostKeys, ThatHaveChangedAreAlwaysRefused) {
  lab::Sshd sshd = start_sshd();
  lab::Sshd impostor = start_sshd();
  lab::SshHost changed = host("box", sshd);
  changed.host_key = impostor.host_key();
  changed.extra = {"StrictHostKeyChecking accept-new"};
  write_hosts({changed});
  EXPECT_EQ(bash_error("true", {{"sandbox_name", "box"}})["code"], "host_key");
  write_known_hosts(sshd.port(), impostor.host_key());
  auto agent = new_agent(by_password(sshd, "alice", "alice-pw"));
  const Json error =
      error_of(agent->call("exec_bash", exec_arguments("true", {{"sandbox_name", ""}})));
  EXPECT_EQ(error["code"], "host_key") << error;
  EXPECT_EQ(occurrences(sshd.log(), "Accepted"), 0u);
}

TEST_F(HostKeys, OfMachinesThatOnlyTheEnvironmentKnowsAreAcceptedAtFirst) {
  lab::Sshd sshd = start_sshd();
  auto agent = new_agent(by_password(sshd, "alice", "alice-pw"));
  EXPECT_EQ(whoami(*agent, ""), "alice\n");
  const std::string key = split(sshd.host_key(), ' ').at(1);
  EXPECT_THAT(file_text(lab().client_home() + "/.ssh/known_hosts"), HasSubstr(key));
}

}  // namespace
}  // namespace yonder::e2e
