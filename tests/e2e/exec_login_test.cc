#include <unistd.h>

#include "base/file.h"
#include "e2e/fixture.h"

namespace yonder::e2e {
namespace {

struct Home {
  const char* user;
  std::vector<std::pair<const char*, const char*>> files;
};

class ExecLogin : public EndToEnd {
 protected:
  void furnish(const Home& home) {
    const lab::Account& account = lab().user(home.user);
    for (const auto& [name, text] : home.files) {
      const std::string path = concat(account.home, "/", name);
      const std::string folder = path.substr(0, path.find_last_of('/'));
      ASSERT_TRUE(make_directories(folder));
      ASSERT_TRUE(write_file_atomically(path, text, Durability::Process));
      for (std::string owned = path; owned != account.home;
           owned = owned.substr(0, owned.find_last_of('/'))) {
        ASSERT_EQ(::chown(owned.c_str(), account.uid, account.uid), 0);
      }
    }
  }
};

TEST_F(ExecLogin, GivesTheEnvironmentOfEveryLoginShell) {
  lab::Sshd sshd = start_sshd();
  const std::vector<Home> homes{
      {"alice", {{".bash_profile", "echo noise of bash; export FROM_PROFILE=bash\n"}}},
      {"bob", {{".profile", "echo noise of sh; FROM_PROFILE=sh; export FROM_PROFILE\n"}}},
      {"zoe", {{".zprofile", "echo noise of zsh; export FROM_PROFILE=zsh\n"}}},
      {"finn", {{".config/fish/config.fish", "echo noise of fish\nset -gx FROM_PROFILE fish\n"}}},
      {"tess", {{".login", "echo noise of tcsh\nsetenv FROM_PROFILE tcsh\n"}}},
  };
  std::vector<lab::SshHost> hosts;
  for (const auto& home : homes) {
    furnish(home);
    hosts.push_back(host(home.user, sshd, home.user));
  }
  write_hosts(hosts);
  const std::vector<std::string> shells{"bash", "sh", "zsh", "fish", "tcsh"};
  for (std::size_t i = 0; i < homes.size(); ++i) {
    const std::string command = "echo \"got $FROM_PROFILE\"; echo oops >&2; cat; exit 4";
    const Json plain = bash(command, {{"sandbox_name", homes[i].user}});
    EXPECT_EQ(plain["exit_code"], 4);
    const Json done =
        bash(command, {{"sandbox_name", homes[i].user}, {"login", true}, {"stdin", "input"}});
    EXPECT_EQ(done["stdout"], concat("got ", shells[i], "\ninput")) << done;
    EXPECT_EQ(done["stderr"], "oops\n") << shells[i];
    EXPECT_EQ(done["exit_code"], 4);
  }
}

TEST_F(ExecLogin, KeepsNoisyStartUpFilesOutOfTheOutput) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("noisy", sshd, "noisy")});
  for (const bool login : {false, true}) {
    const Json done = bash("echo quiet", {{"sandbox_name", "noisy"}, {"login", login}});
    EXPECT_EQ(done["stdout"], "quiet\n");
    EXPECT_EQ(done["stderr"], "");
  }
}

TEST_F(ExecLogin, SaysWhenTheLoginShellNeverReachedTheCommand) {
  lab::Sshd sshd = start_sshd();
  furnish({"alice", {{".bash_profile", "echo the profile gives up; exit 0\n"}}});
  write_hosts({host("box", sshd)});
  const Json done = bash("echo reached", {{"sandbox_name", "box"}, {"login", true}});
  EXPECT_NE(done["exit_code"], 0);
  EXPECT_EQ(done["stdout"], "");
  EXPECT_THAT(done["stderr"].get<std::string>(), ::testing::HasSubstr("the profile gives up"));
}

}  // namespace
}  // namespace yonder::e2e
