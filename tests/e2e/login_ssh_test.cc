#include "e2e/auth_fixture.h"
#include "e2e/yonder_at_terminal.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPasswordPrompt = "[box] alice@127.0.0.1's password: ";

class Login : public AuthTest {
 protected:
  // A machine, "box", of which the client has no key.
  lab::Sshd start_box(const lab::SshdOptions& options = {}) {
    lab::Sshd sshd = start_sshd(options);
    lab::SshHost without_key = host("box", sshd);
    without_key.identity_file.clear();
    write_hosts({without_key});
    return sshd;
  }
  // Without a terminal, as a script or an agent does it.
  Captured yonder(const std::vector<std::string>& arguments) {
    return run_yonder(arguments, environment());
  }
  // Whoever works through the kept login is not asked, and does not log in again.
  void expect_kept(const lab::Sshd& sshd) {
    for (int i = 0; i < 2; ++i) {
      const Captured done = yonder({"exec", "box", "--", "id -un"});
      EXPECT_EQ(done.out, "alice\n") << done.err;
      EXPECT_EQ(done.status.code, 0);
    }
    auto agent = new_agent();
    EXPECT_EQ(whoami(*agent, "box"), "alice\n");
    EXPECT_EQ(occurrences(sshd.log(), "User child is on pid"), 1U) << sshd.log();
  }
  void expect_not_let_in() {
    const Captured refused = yonder({"exec", "box", "--", "id -un"});
    EXPECT_EQ(refused.status.code, 255);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("yonder login box"));
  }
};

TEST_F(Login, ByATypedPasswordIsUsedByEveryCommandUntilLogout) {
  const lab::Sshd sshd = start_box();
  expect_not_let_in();
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows(kPasswordPrompt)) << login.screen();
  login.type("alice-pw\n");
  EXPECT_EQ(login.finish().code, 0) << login.screen();
  EXPECT_THAT(login.screen(), HasSubstr("logged in to box"));
  EXPECT_THAT(login.screen(), Not(HasSubstr("alice-pw")));
  expect_kept(sshd);
  EXPECT_EQ(yonder({"logout", "box"}).status.code, 0);
  expect_not_let_in();
}

TEST_F(Login, WhileLoggedInAsksNothingAndKeepsTheLogin) {
  const lab::Sshd sshd = start_box();
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows(kPasswordPrompt)) << login.screen();
  login.type("alice-pw\n");
  EXPECT_EQ(login.finish().code, 0) << login.screen();
  YonderAtTerminal again({"login", "box"}, environment());
  EXPECT_TRUE(again.shows("already logged in to box")) << again.screen();
  again.type("\x03");
  again.finish();
  EXPECT_THAT(again.screen(), Not(HasSubstr("password")));
  expect_kept(sshd);
}

TEST_F(Login, IsNotUsedForAnotherTargetThatSshHasBeenToldOf) {
  const lab::Sshd sshd = start_box();
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows(kPasswordPrompt)) << login.screen();
  login.type("alice-pw\n");
  EXPECT_EQ(login.finish().code, 0) << login.screen();
  lab::SshHost as_bob = host("box", sshd, "bob");
  write_hosts({as_bob});
  EXPECT_EQ(yonder({"exec", "box", "--", "id -un"}).out, "bob\n");
  as_bob.identity_file.clear();
  write_hosts({as_bob});
  expect_not_let_in();
  lab::SshHost as_before = host("box", sshd);
  as_before.identity_file.clear();
  write_hosts({as_before});
  EXPECT_EQ(yonder({"exec", "box", "--", "id -un"}).out, "alice\n");
  write_hosts({as_bob});
  EXPECT_EQ(yonder({"logout", "box"}).status.code, 0);
  write_hosts({as_before});
  expect_not_let_in();
}

TEST_F(Login, HelpsAnAgentAtOnceThatWasRefusedBefore) {
  const lab::Sshd sshd = start_box();
  const Json error = bash_error("true", {{"sandbox_name", "box"}});
  EXPECT_EQ(error["code"], "auth_needed") << error;
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows(kPasswordPrompt)) << login.screen();
  login.type("alice-pw\n");
  EXPECT_EQ(login.finish().code, 0) << login.screen();
  EXPECT_EQ(whoami(agent(), "box"), "alice\n");
}

TEST_F(Login, ByAOneTimeCodeAsksForItOnce) {
  lab::need(lab::Need::OneTimeCodes);
  lab::Sshd sshd = start_box({.login = lab::Login::PasswordAndCode});
  expect_not_let_in();
  const auto code = sshd.next_code();
  ASSERT_TRUE(code) << code.error().message;
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows("[box] (alice@127.0.0.1) Password: ")) << login.screen();
  login.type("alice-pw\n");
  ASSERT_TRUE(login.shows("One-time password (OATH) for `alice': ")) << login.screen();
  login.type(*code + "\n");
  EXPECT_EQ(login.finish().code, 0) << login.screen() << sshd.log();
  EXPECT_THAT(login.screen(), HasSubstr("logged in to box"));
  EXPECT_THAT(login.screen(), Not(HasSubstr(*code)));
  expect_kept(sshd);
}

TEST_F(Login, AsksThePersonAgainAfterASlip) {
  const lab::Sshd sshd = start_box();
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows(kPasswordPrompt)) << login.screen();
  login.type("alice-pq\n");
  ASSERT_TRUE(login.shows(kPasswordPrompt)) << login.screen();
  login.type("alice-pq\x7fw\n");
  EXPECT_EQ(login.finish().code, 0) << login.screen();
  expect_kept(sshd);
}

TEST_F(Login, KeepsNothingWhenThePersonGivesUp) {
  const lab::Sshd sshd = start_box();
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows(kPasswordPrompt)) << login.screen();
  login.type("\x03");
  EXPECT_EQ(login.finish().code, 255) << login.screen();
  EXPECT_THAT(login.screen(), HasSubstr("the question was not answered"));
  EXPECT_EQ(occurrences(sshd.log(), "Failed password"), 0U) << sshd.log();
  EXPECT_EQ(yonder({"logout", "box"}).status.code, 255);
  expect_not_let_in();
}

TEST_F(Login, ThatIsInterruptedEndsItsSshAndKeepsNothing) {
  const lab::Sshd sshd = start_sshd();
  const auto proxy = start_proxy(sshd.port());
  write_hosts({host("box", sshd, *proxy)});
  const std::string marker = new_marker();
  proxy->stall();
  YonderAtTerminal login({"login", "box"}, environment({"E2E_MARK=" + marker}));
  ASSERT_TRUE(login.shows("logging in to box")) << login.screen();
  ASSERT_TRUE(lab::eventually([&] { return proxy->stats().connections > 0; })) << login.screen();
  login.type("\x03");
  EXPECT_EQ(login.finish().code, 130) << login.screen();
  EXPECT_THAT(login.screen(), HasSubstr("the login was cancelled"));
  EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching(marker).empty(); }));
  proxy->resume();
  EXPECT_EQ(yonder({"logout", "box"}).status.code, 255);
  EXPECT_EQ(occurrences(sshd.log(), "Accepted"), 0U) << sshd.log();
}

TEST_F(Login, LetsThePersonAcceptAnUnknownHostKey) {
  lab::Sshd sshd = start_sshd();
  lab::SshHost unknown = host("box", sshd);
  unknown.host_key.clear();
  unknown.extra = {"StrictHostKeyChecking ask"};
  write_hosts({unknown});
  expect_not_let_in();
  YonderAtTerminal login({"login", "box"}, environment());
  ASSERT_TRUE(login.shows("SHA256:")) << login.screen();
  ASSERT_TRUE(login.shows("(yes/no")) << login.screen();
  login.type("yes\n");
  EXPECT_EQ(login.finish().code, 0) << login.screen();
  expect_kept(sshd);
}

TEST_F(Login, IsNotAskedForByCommandsThatSoonGiveUp) {
  const lab::Sshd sshd = start_box();
  write_config_toml("active = \"box\"\n[sandbox.box]\nhost = \"box\"\n");
  const std::vector<std::vector<std::string>> all{{"hosts", "--check", "--wait", "30", "box"},
                                                  {"hosts", "--resources", "--wait", "30", "box"},
                                                  {"ps"},
                                                  {"gpus", "--wait", "30", "box"},
                                                  {"run", "auto", "--", "true"},
                                                  {"exec", "auto", "--", "true"}};
  for (const auto& words : all) {
    YonderAtTerminal one(words, environment());
    one.finish();
    EXPECT_THAT(one.screen(), HasSubstr("yonder login box")) << join(words, " ");
    EXPECT_THAT(one.screen(), Not(HasSubstr(kPasswordPrompt))) << join(words, " ");
  }
  EXPECT_EQ(occurrences(sshd.log(), "Failed password"), 0U) << sshd.log();
}

TEST_F(Login, IsAskedForByAListOfOneMachineAlone) {
  const lab::Sshd sshd = start_box();
  YonderAtTerminal list({"ps", "box"}, environment());
  ASSERT_TRUE(list.shows(kPasswordPrompt)) << list.screen();
  list.type("alice-pw\n");
  EXPECT_EQ(list.finish().code, 0) << list.screen();
  EXPECT_THAT(list.screen(), Not(HasSubstr("does not answer")));
}

TEST_F(Login, FailsWhereThereIsNobodyToAsk) {
  const lab::Sshd sshd = start_box();
  const Captured refused = yonder({"login", "box"});
  EXPECT_EQ(refused.status.code, 255);
  EXPECT_THAT(refused.err, HasSubstr("the question was not answered"));
  EXPECT_EQ(occurrences(sshd.log(), "Failed password"), 0U) << sshd.log();
}

}  // namespace
}  // namespace yonder::e2e
