#include "e2e/auth_fixture.h"

#include "base/file.h"
#include "lab/command.h"

namespace yonder::e2e {

void AuthTest::SetUp() {
  EndToEnd::SetUp();
  // Tests of one process share the client's home.
  write_hosts({});
  write_config_toml("# no settings\n");
}

std::vector<std::string> AuthTest::by_password(const lab::SshServer& server,
                                               const std::string& user,
                                               const std::string& password) {
  return {"REMOTE_HOST=127.0.0.1", concat("REMOTE_PORT=", server.port()), "REMOTE_USER=" + user,
          "REMOTE_PASSWORD=" + password};
}

std::string AuthTest::whoami(McpClient& agent, const std::string& sandbox) {
  const Json done =
      content_of(agent.call("exec_bash", exec_arguments("id -un", {{"sandbox_name", sandbox}})));
  return done.value("stdout", "");
}

lab::SshKey AuthTest::new_locked_key(const std::string& passphrase) {
  const auto directory = lab().new_directory("keys");
  auto key = lab::SshKey::generate(*directory + "/locked", passphrase);
  if (!key) throw std::runtime_error(key.error().message);
  return *std::move(key);
}

void AuthTest::change_password(const std::string& user, const std::string& password) {
  lab::Lab::get().change_password(user, password);
}

void AuthTest::write_known_hosts(std::uint16_t port, const std::string& host_key) {
  ASSERT_TRUE(write_file_atomically(lab().client_home() + "/.ssh/known_hosts",
                                    concat("[127.0.0.1]:", port, " ", host_key, "\n"),
                                    Durability::Process));
}

std::size_t AuthTest::occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

}  // namespace yonder::e2e
