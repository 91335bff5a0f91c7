#include "lab/sshd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "lab/command.h"
#include "lab/dropbear.h"
#include "lab/fault_proxy.h"
#include "lab/ssh_agent.h"
#include "lab/ssh_client.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SshdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    lab_ = &Lab::get();
    const auto directory = lab_->new_directory("client");
    ASSERT_TRUE(directory);
    auto key = SshKey::generate(*directory + "/key");
    ASSERT_TRUE(key) << key.error().message;
    key_ = *key;
  }

  std::optional<Sshd> start(const SshdOptions& options = {}) {
    auto sshd = Sshd::start(*lab_, options);
    EXPECT_TRUE(sshd) << sshd.error().message;
    if (!sshd) return std::nullopt;
    EXPECT_TRUE(sshd->authorize(key_.public_key));
    return *std::move(sshd);
  }

  // Makes the client know the server as "box".
  void use(const SshServer& server, const std::string& user, const std::string& identity_file) {
    ASSERT_TRUE(write_ssh_config(*lab_, {{.alias = "box",
                                          .port = server.port(),
                                          .user = user,
                                          .identity_file = identity_file,
                                          .host_key = server.host_key()}}));
  }

  Captured ssh(const std::vector<std::string>& arguments,
               const std::vector<std::string>& environment = {"SSH_ASKPASS=/bin/false"}) {
    auto done = run_ssh(*lab_, arguments, environment);
    EXPECT_TRUE(done) << done.error().message;
    return done ? *std::move(done) : Captured{.status = {.signaled = false, .code = -1}};
  }

  Lab* lab_ = nullptr;
  SshKey key_;
};

TEST_F(SshdTest, LetsEveryUserInByKeyWithTheirOwnShell) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  for (const char* name : {"alice", "bob", "zoe", "finn", "tess", "nobash"}) {
    use(*sshd, name, key_.path);
    // One user under all these names has that of the first for `id`.
    const char* who = lab_->has_several_users() ? "id -un" : "echo $USER";
    const Captured done = ssh({"box", concat("echo ok; ", who)});
    EXPECT_EQ(done.out, concat("ok\n", name, "\n")) << done.err << sshd->log();
  }
}

TEST_F(SshdTest, HasAUserWhoseStartUpFilesTalk) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  use(*sshd, "noisy", key_.path);
  const Captured done = ssh({"box", "echo ok"});
  EXPECT_EQ(done.out, "noise on stdout\nand a last line without endok\n");
}

TEST_F(SshdTest, TakesPasswords) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  use(*sshd, "alice", "");
  const auto right = Askpass::create(*lab_, {{"password:", "alice-pw"}});
  ASSERT_TRUE(right);
  EXPECT_EQ(ssh({"box", "echo ok"}, right->environment()).out, "ok\n");
  EXPECT_THAT(right->questions(), ElementsAre("alice@127.0.0.1's password: "));
  const auto wrong = Askpass::create(*lab_, {{"password:", "bob-pw"}});
  ASSERT_TRUE(wrong);
  const Captured refused =
      ssh({"-o", "NumberOfPasswordPrompts=1", "box", "echo ok"}, wrong->environment());
  EXPECT_EQ(refused.status.code, 255);
  EXPECT_THAT(refused.err, HasSubstr("Permission denied"));
}

TEST_F(SshdTest, AsksForThePasswordByKeyboardInteractive) {
  auto sshd = start({.login = Login::KeyboardInteractive});
  ASSERT_TRUE(sshd);
  use(*sshd, "bob", "");
  const auto askpass = Askpass::create(*lab_, {{"Password:", "bob-pw"}});
  ASSERT_TRUE(askpass);
  const Captured done = ssh({"box", "echo ok"}, askpass->environment());
  EXPECT_EQ(done.out, "ok\n") << done.err << sshd->log();
  EXPECT_THAT(askpass->questions(), ElementsAre("(bob@127.0.0.1) Password: "));
}

TEST_F(SshdTest, AsksForAOneTimeCodeAfterThePassword) {
  need(Need::OneTimeCodes);
  auto sshd = start({.login = Login::PasswordAndCode});
  ASSERT_TRUE(sshd);
  use(*sshd, "alice", "");
  for (int login = 0; login < 2; ++login) {
    const auto code = sshd->next_code();
    ASSERT_TRUE(code) << code.error().message;
    const auto askpass = Askpass::create(*lab_, {{"OATH", *code}, {"Password:", "alice-pw"}});
    ASSERT_TRUE(askpass);
    const Captured done = ssh({"box", "echo ok"}, askpass->environment());
    EXPECT_EQ(done.out, "ok\n") << done.err << sshd->log();
    EXPECT_EQ(askpass->questions().size(), 2u);
  }
}

TEST_F(SshdTest, TakesKeysFromAnAgent) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  auto agent = SshAgent::start(*lab_);
  ASSERT_TRUE(agent) << agent.error().message;
  const auto directory = lab_->new_directory("client");
  const auto locked = SshKey::generate(*directory + "/locked", "open sesame");
  ASSERT_TRUE(locked);
  const auto added = agent->add(*lab_, *locked, "open sesame");
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_TRUE(sshd->authorize(locked->public_key));
  use(*sshd, "alice", "");
  const Captured done = ssh({"-o", "BatchMode=yes", "box", "echo ok"}, agent->environment());
  EXPECT_EQ(done.out, "ok\n") << done.err;
}

TEST_F(SshdTest, LetsLinesOfTheCallerWin) {
  auto sshd = start({.config = {"ForceCommand echo forced", "Match User bob", "Banner none"}});
  ASSERT_TRUE(sshd);
  use(*sshd, "alice", key_.path);
  EXPECT_EQ(ssh({"box", "echo ok"}).out, "forced\n");
}

TEST_F(SshdTest, HidesProgramsFromItsSessionsOnly) {
  auto sshd = start({.hide_programs = {"bash", "tmux", "python3*"}});
  ASSERT_TRUE(sshd);
  use(*sshd, "nobash", key_.path);
  const std::string look = "for p in bash tmux python3 sh; do command -v $p; done; ls /bin/bash";
  const Captured done = ssh({"box", look});
  EXPECT_TRUE(done.out == "/usr/bin/sh\n" || done.out == "/bin/sh\n" || done.out == "sh\n")
      << done.out << done.err;
  EXPECT_TRUE(run_command({"ls", "/bin/bash"}));
  use(*sshd, "alice", key_.path);  // her shell does not exist over there
  EXPECT_EQ(ssh({"-o", "BatchMode=yes", "box", "echo ok"}).status.code, 255);
}

TEST_F(SshdTest, SeesHomesThatAreMountedLater) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  use(*sshd, "alice", key_.path);
  const auto mount = lab_->mount_home("alice", "noexec");
  ASSERT_TRUE(mount) << mount.error().message;
  const Captured done = ssh({"box", "cp /bin/true t && ./t"});
  EXPECT_THAT(done.err, HasSubstr("ermission denied"));
}

// A client whose session has begun, seen by its first line.
struct OpenSession {
  Subprocess process;
  std::string rest_of_output() {
    std::string rest;
    std::array<char, 4096> buffer{};
    while (true) {
      const auto n = read_some(process.output(), buffer.data(), buffer.size());
      if (!n || *n == 0) return rest;
      rest.append(buffer.data(), *n);
    }
  }
};

Result<OpenSession> open_session(const Lab& lab, const std::string& command) {
  TRY_ASSIGN(
      Subprocess process,
      Subprocess::spawn({.argv = {"ssh", "-o", "BatchMode=yes", "box", "echo begun; " + command},
                         .environment = lab.environment()}));
  std::string line;
  char c = 0;
  while (line != "begun\n") {
    TRY_ASSIGN(const std::size_t n, read_some(process.output(), &c, 1));
    if (n == 0) return Error{Errc::LinkLost, "the session ended: " + line, ""};
    line += c;
  }
  return OpenSession{std::move(process)};
}

TEST_F(SshdTest, KillsSessionsAndLeavesTheirCommandsRunning) {
  for (const char* name : {"alice", "root"}) {
    auto sshd = start();
    ASSERT_TRUE(sshd);
    use(*sshd, name, key_.path);
    // A number of its own: others may run this test at the same time.
    const std::string number = concat("1001.", 100000000 + std::random_device{}() % 900000000);
    auto session = open_session(*lab_, "exec sleep " + number);
    ASSERT_TRUE(session) << session.error().message << sshd->log();
    EXPECT_EQ(sshd->kill_sessions(), 1u);
    const auto status = session->process.wait(soon());
    ASSERT_TRUE(status);
    EXPECT_EQ(status->code, 255);
    EXPECT_EQ(sshd->sessions(), 0u);
    const auto sleeping = processes_matching(number);
    EXPECT_EQ(sleeping.size(), 1u);
    kill_and_wait(sleeping);
    EXPECT_EQ(ssh({"box", "echo ok"}).out, "ok\n");  // the listener lives
  }
}

TEST_F(SshdTest, EndsItsSessionsWhenItStopsAndComesBackOnTheSamePort) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  use(*sshd, "alice", key_.path);
  auto session = open_session(*lab_, "cat");
  ASSERT_TRUE(session) << session.error().message;
  sshd->stop();
  const auto status = session->process.wait(soon());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 255);
  EXPECT_THAT(ssh({"box", "echo ok"}).err, HasSubstr("Connection refused"));
  const auto again = sshd->start_again();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(ssh({"box", "echo ok"}).out, "ok\n");
}

TEST_F(SshdTest, HangsWhileFrozen) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  use(*sshd, "alice", key_.path);
  sshd->freeze();
  const Captured done = ssh({"-o", "ConnectTimeout=1", "box", "echo ok"});
  EXPECT_EQ(done.status.code, 255);
  EXPECT_THAT(done.err, HasSubstr("timed out during banner exchange"));
  sshd->thaw();
  EXPECT_EQ(ssh({"box", "echo ok"}).out, "ok\n");
}

TEST_F(SshdTest, HangsInTheMiddleWhileItsSessionsAreFrozen) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  use(*sshd, "alice", key_.path);
  auto session = open_session(*lab_, "cat");
  ASSERT_TRUE(session) << session.error().message;
  sshd->freeze_sessions();
  ASSERT_TRUE(write_all(session->process.input(), "through\n"));
  session->process.input().reset();
  EXPECT_FALSE(session->process.wait(Deadline::after(std::chrono::milliseconds(100))));
  sshd->thaw_sessions();
  EXPECT_EQ(session->rest_of_output(), "through\n");
}

TEST_F(SshdTest, CanBeReachedThroughAFaultProxy) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  auto proxy = FaultProxy::start({.to = sshd->port(), .delay = std::chrono::milliseconds(5)});
  ASSERT_TRUE(proxy) << proxy.error().message;
  ASSERT_TRUE(write_ssh_config(*lab_, {{.alias = "box",
                                        .port = (*proxy)->port(),
                                        .user = "bob",
                                        .identity_file = key_.path,
                                        .host_key = sshd->host_key()}}));
  EXPECT_EQ(ssh({"box", "echo ok"}).out, "ok\n");
  auto session = open_session(*lab_, "cat");
  ASSERT_TRUE(session) << session.error().message;
  (*proxy)->cut();
  const auto status = session->process.wait(soon());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 255);
  EXPECT_EQ((*proxy)->stats().connections, 2u);
}

TEST_F(SshdTest, IsNotTrustedWithAnotherHostKey) {
  auto sshd = start();
  ASSERT_TRUE(sshd);
  auto other = start();
  ASSERT_TRUE(other);
  ASSERT_TRUE(write_ssh_config(*lab_, {{.alias = "box",
                                        .port = sshd->port(),
                                        .user = "bob",
                                        .identity_file = key_.path,
                                        .host_key = other->host_key()}}));
  EXPECT_THAT(ssh({"box", "echo ok"}).err, HasSubstr("Host key verification failed"));
}

TEST_F(SshdTest, HasDropbearBesideIt) {
  auto dropbear = Dropbear::start(*lab_);
  ASSERT_TRUE(dropbear) << dropbear.error().message;
  ASSERT_TRUE(dropbear->authorize(lab_->user("alice"), key_.public_key));
  use(*dropbear, "alice", key_.path);
  const Captured by_key = ssh({"box", "echo ok"});
  EXPECT_EQ(by_key.out, "ok\n") << by_key.err << dropbear->log();
  use(*dropbear, "bob", "");
  const auto askpass = Askpass::create(*lab_, {{"password:", "bob-pw"}});
  ASSERT_TRUE(askpass);
  EXPECT_EQ(ssh({"box", "echo ok"}, askpass->environment()).out, "ok\n");
  use(*dropbear, "alice", key_.path);
  auto session = open_session(*lab_, "cat");
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(dropbear->kill_sessions(), 1u);
  const auto status = session->process.wait(soon());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 255);
}

}  // namespace
}  // namespace yonder::lab
