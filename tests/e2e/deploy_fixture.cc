#include "e2e/deploy_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace yonder::e2e {

void DeployTest::SetUp() {
  EndToEnd::SetUp();
}

// Places outside of the lab would stay for the next test that gets the same user id.
void DeployTest::TearDown() {
  sshd_.reset();
  if (!user_) return;
  for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code ignored;
    std::filesystem::remove_all(concat(parent, "/yonder-", user_->uid), ignored);
  }
}

void DeployTest::use(const lab::SshdOptions& options, const std::string& shell) {
  user_ = new_user(shell);
  sshd_.emplace(start_sshd(options));
  write_hosts({host("far", *sshd_, user_->name)});
}

std::string DeployTest::say_hello(McpClient& agent) {
  return content_of(agent.call("exec_bash", exec_arguments("echo \"hello from $(id -un)\"",
                                                           {{"sandbox_name", "far"}})))
      .value("stdout", "");
}

void DeployTest::expect_works() {
  EXPECT_EQ(say_hello(agent()), concat("hello from ", user().name, "\n"));
}

std::vector<std::string> DeployTest::names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    names.push_back(entry.path().filename().native());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> DeployTest::outposts_in(const std::string& directory) {
  auto names = names_in(directory);
  std::erase_if(names, [](const auto& name) { return !name.starts_with("outpost-"); });
  return names;
}

void DeployTest::make_users_directory(const std::string& path, mode_t mode) {
  ASSERT_TRUE(make_directories(path));
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  std::string owned = path;
  do {
    ASSERT_EQ(::chown(owned.c_str(), user().uid, user().uid), 0);
    owned = owned.substr(0, owned.find_last_of('/'));
  } while (owned.starts_with(user().home + "/"));
}

void DeployTest::write_users_file(const std::string& path, const std::string& text, mode_t mode) {
  ASSERT_TRUE(write_file_atomically(path, text, Durability::Process));
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  ASSERT_EQ(::chown(path.c_str(), user().uid, user().uid), 0);
}

}  // namespace yonder::e2e
