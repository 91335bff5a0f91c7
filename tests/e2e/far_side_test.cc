#include "base/file.h"
#include "e2e/fixture.h"
#include "lab/dropbear.h"

namespace yonder::e2e {
namespace {

class FarSide : public EndToEnd {};

TEST_F(FarSide, MayHaveAnyLoginShell) {
  lab::Sshd sshd = start_sshd();
  const std::vector<std::string> users{"alice", "bob",    "zoe",   "finn",
                                       "tess",  "nobash", "noisy", "root"};
  std::vector<lab::SshHost> hosts;
  for (const auto& user : users) hosts.push_back(host("at-" + user, sshd, user));
  write_hosts(hosts);
  // One user under all these names has that of the first for `id`.
  const char* who = lab().has_several_users() ? "id -un" : "echo $USER";
  for (const auto& user : users) {
    const Json done =
        bash(concat(who, "; a=b; echo \"$a\" >&2; exit 3"), {{"sandbox_name", "at-" + user}});
    EXPECT_EQ(done["stdout"], user + "\n");
    EXPECT_EQ(done["stderr"], "b\n");
    EXPECT_EQ(done["exit_code"], 3);
  }
}

TEST_F(FarSide, MayBeDropbear) {
  auto dropbear = lab::Dropbear::start(lab());
  ASSERT_TRUE(dropbear) << dropbear.error().message;
  ASSERT_TRUE(dropbear->authorize(lab().user("alice"), key().public_key));
  write_hosts({host("small", *dropbear)});
  const Json done = bash("id -un; exit 3", {{"sandbox_name", "small"}});
  EXPECT_EQ(done["stdout"], "alice\n");
  EXPECT_EQ(done["exit_code"], 3);
  const std::string directory = new_open_directory();
  const int id = agent().call_async("exec_bash",
                                    exec_arguments(concat("echo first; : > ", directory, "/begun; ",
                                                          until(directory + "/go"), "echo last"),
                                                   {{"sandbox_name", "small"}, {"wait_s", 3000}}));
  ASSERT_TRUE(lab::eventually([&] { return path_exists(directory + "/begun"); }));
  EXPECT_EQ(dropbear->kill_sessions(), 1u);
  ASSERT_TRUE(write_file_atomically(directory + "/go", "", Durability::Process));
  EXPECT_EQ(result_of(id)["stdout"], "first\nlast\n");
}

TEST_F(FarSide, MayGreetBeforeItSpeaks) {
  lab::Sshd sshd = start_sshd({.config = {"PrintMotd yes", "Banner /etc/passwd"}});
  write_hosts({host("chatty", sshd, "noisy")});
  const Json done = bash("echo mine", {{"sandbox_name", "chatty"}});
  EXPECT_EQ(done["stdout"], "mine\n");
  EXPECT_EQ(done["stderr"], "");
}

TEST_F(FarSide, ThatIsNoShellIsSaidToBeSo) {
  lab::Sshd sshd = start_sshd({.config = {"ForceCommand echo only git here"}});
  write_hosts({host("forced", sshd)});
  const Json error = bash_error("true", {{"sandbox_name", "forced"}});
  EXPECT_EQ(error["code"], "unreachable") << error;
  EXPECT_THAT(error["message"].get<std::string>(), ::testing::HasSubstr("only git here"));
}

}  // namespace
}  // namespace yonder::e2e
