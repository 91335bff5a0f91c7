#include <set>

#include "base/file.h"
#include "base/id.h"
#include "e2e/auth_fixture.h"
#include "e2e/program.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Secrets : public AuthTest {
 protected:
  // A child of the program is still the program until it becomes another one.
  static bool is_the_keeper(pid_t pid) {
    return file_text(concat("/proc/", pid, "/cmdline")) ==
           yonder_program() + std::string("\0mcp\0", 5);
  }

  // Processes other than the one that was given the secret, by name.
  static std::set<std::string> leaks(const std::string& secret) {
    std::set<std::string> found;
    for (const pid_t pid : lab::processes_matching(secret)) {
      if (is_the_keeper(pid)) continue;
      const std::string line = file_text(concat("/proc/", pid, "/cmdline"));
      const std::string environ = file_text(concat("/proc/", pid, "/environ"));
      if ((line + environ).find(secret) == std::string::npos) continue;
      found.insert(concat(pid, " ", line));
    }
    return found;
  }

  // Looks at all processes from the moment of the call until its reply has come.
  static std::set<std::string> leaks_during(McpClient& agent, int call, const std::string& secret) {
    std::set<std::string> found;
    const Deadline deadline = patience();
    while (!agent.has_reply(call) && !deadline.expired()) found.merge(leaks(secret));
    found.merge(leaks(secret));
    return found;
  }
};

TEST_F(Secrets, StayWithTheProcessThatWasGivenThem) {
  lab::Sshd sshd = start_sshd();
  // A password that no other test has, because all processes of the machine are looked at.
  const lab::Account user = new_user();
  auto agent = new_agent(by_password(sshd, user.name, user.password));
  const int call = agent->call_async(
      "exec_bash", exec_arguments("sleep 0.5; id -un; env", {{"sandbox_name", ""}}));
  EXPECT_THAT(leaks_during(*agent, call, user.password), IsEmpty());
  const Json done = content_of(agent->wait(call));
  EXPECT_THAT(done["stdout"].get<std::string>(), HasSubstr(user.name + "\n"));
  EXPECT_THAT(done["stdout"].get<std::string>(), Not(HasSubstr(user.password)));
  EXPECT_THAT(agent->errors(), Not(HasSubstr(user.password)));
}

TEST_F(Secrets, OfKeysStayWithTheProcessThatWasGivenThem) {
  lab::Sshd sshd = start_sshd();
  const std::string passphrase = random_letters(16);
  const lab::SshKey locked = new_locked_key(passphrase);
  ASSERT_TRUE(sshd.authorize(locked.public_key));
  auto agent =
      new_agent({"REMOTE_HOST=127.0.0.1", concat("REMOTE_PORT=", sshd.port()), "REMOTE_USER=alice",
                 "REMOTE_KEY_FILE=" + locked.path, "REMOTE_KEY_PASSPHRASE=" + passphrase});
  const int call =
      agent->call_async("exec_bash", exec_arguments("sleep 0.5; id -un", {{"sandbox_name", ""}}));
  EXPECT_THAT(leaks_during(*agent, call, passphrase), IsEmpty());
  EXPECT_EQ(content_of(agent->wait(call))["stdout"], "alice\n");
}

TEST_F(Secrets, DoNotShowInErrors) {
  lab::Sshd sshd = start_sshd();
  const std::string password = random_letters(16);
  auto agent = new_agent(by_password(sshd, "alice", password));
  const int call = agent->call_async("exec_bash", exec_arguments("true", {{"sandbox_name", ""}}));
  EXPECT_THAT(leaks_during(*agent, call, password), IsEmpty());
  EXPECT_EQ(error_of(agent->wait(call))["code"], "auth_needed");
  content_of(agent->call("list_sandboxes", Json::object()));
  EXPECT_THAT(agent->errors(), Not(HasSubstr(password)));
  EXPECT_THAT(agent->output(), Not(HasSubstr(password)));
}

TEST_F(Secrets, AreHiddenFromCommandsOnThisMachine) {
  const std::string secret = random_letters(16);
  auto agent = new_agent({"REMOTE_HOST=127.0.0.1", "REMOTE_PASSWORD=" + secret,
                          "REMOTE_KEY_PASSPHRASE=" + secret, "KEPT=yes"});
  const Json done = content_of(agent->call("exec_bash", exec_arguments("env")));
  EXPECT_THAT(done["stdout"].get<std::string>(), HasSubstr("KEPT=yes"));
  EXPECT_THAT(done["stdout"].get<std::string>(), Not(HasSubstr(secret)));
}

TEST_F(Secrets, OfThePasswordCommandStayInItsPipe) {
  lab::Sshd sshd = start_sshd();
  const lab::Account user = new_user();
  const std::string store = new_open_directory() + "/store";
  ASSERT_TRUE(write_file_atomically(store, user.password + "\n", Durability::Process));
  lab::SshHost without_key = host("box", sshd, user.name);
  without_key.identity_file.clear();
  write_hosts({without_key});
  write_config_toml(
      concat("[sandbox.box]\nhost = \"box\"\npassword_command = \"cat ", store, "\"\n"));
  const int call =
      agent().call_async("exec_bash", exec_arguments("id -un", {{"sandbox_name", "box"}}));
  EXPECT_THAT(leaks_during(agent(), call, user.password), IsEmpty());
  EXPECT_EQ(result_of(call)["stdout"], user.name + "\n");
}

}  // namespace
}  // namespace yonder::e2e
