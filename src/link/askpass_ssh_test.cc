#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "link/askpass_broker.h"
#include "link/askpass_testing.h"

// The broker between a real ssh and a real sshd. ssh itself decides what it asks, and when.
namespace yonder::link {
namespace {

using askpass_testing::kSoon;
using askpass_testing::ScriptedPerson;

constexpr const char* kSshd = "/usr/sbin/sshd";
constexpr const char* kPassphrase = "open sesame";
const std::vector<std::string> kPlainEnvironment{"PATH=/usr/bin:/bin", "HOME=/nonexistent"};

int free_port() {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return 0;
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

std::string read_until(Fd& from, std::string_view text) {
  std::string all;
  std::array<char, 512> buffer{};
  while (all.find(text) == std::string::npos) {
    const auto n = read_some(from, buffer.data(), buffer.size());
    if (!n || *n == 0) break;
    all.append(buffer.data(), *n);
  }
  return all;
}

// Without root a server lets in only the one who started it.
std::string me() {
  const passwd* account = ::getpwuid(::geteuid());
  return account == nullptr ? "" : account->pw_name;
}

struct Login {
  std::string out;
  std::string err;
  ExitStatus status;
  int refusals = 0;
  std::optional<Question> refused;
  bool from_settings = false;
};

class AskpassSshTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access(kSshd, X_OK) != 0 || ::access("/usr/bin/ssh", X_OK) != 0) {
      GTEST_SKIP() << "needs ssh and sshd";
    }
    if (::geteuid() == 0) std::filesystem::create_directories("/run/sshd");  // sshd insists on it
    make_key("host", "");
    make_key("user", kPassphrase);
    port_ = free_port();
    std::ofstream(directory_ / "config")
        << "ListenAddress 127.0.0.1:" << port_ << "\nHostKey " << directory_ / "host"
        << "\nPidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin prohibit-password\n"
        << "AuthorizedKeysFile " << directory_ / "user.pub\n";
    auto sshd = Subprocess::spawn({.argv = {kSshd, "-D", "-e", "-f", directory_ / "config"},
                                   .environment = kPlainEnvironment});
    ASSERT_TRUE(sshd) << sshd.error().message;
    sshd_.emplace(*std::move(sshd));
    const std::string said = read_until(sshd_->errors(), "Server listening");
    ASSERT_NE(said.find("Server listening"), std::string::npos) << said;
    open_broker(nullptr);
  }

  void make_key(const std::string& name, const std::string& passphrase) {
    const auto made = run_captured(
        {.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", directory_ / name},
         .environment = kPlainEnvironment},
        "", 4096, Deadline::after(kSoon));
    ASSERT_TRUE(made && made->status.success());
  }

  void open_broker(Person* person) {
    auto broker = AskpassBroker::open(directory_ / "d", askpass_testing::this_program(), person);
    ASSERT_TRUE(broker) << broker.error().message;
    broker_ = *std::move(broker);
  }

  void trust_host() {
    std::ifstream key(directory_ / "host.pub");
    std::string line;
    std::getline(key, line);
    std::ofstream(directory_ / "known_hosts") << "[127.0.0.1]:" << port_ << " " << line << "\n";
  }

  Login log_in(const std::string& passphrase) {
    SandboxSpec spec = askpass_testing::box();
    spec.key_file = directory_ / "user";
    spec.key_passphrase = Secret(passphrase);
    Login login;
    std::atomic<int> refusals = 0;
    Monitor<pid_t> ssh;
    const auto end_ssh = [&] {
      ++refusals;
      const auto started = [](const pid_t& pid) { return pid > 0; };
      ssh.wait(Deadline::after(kSoon), started, [](const pid_t& pid) { ::kill(pid, SIGKILL); });
    };
    const auto attempt = broker_->begin(spec, end_ssh);
    auto child = Subprocess::spawn(
        {.argv = {"ssh", "-F", "/dev/null", "-T", "-o",
                  "UserKnownHostsFile=" + (directory_ / "known_hosts"), "-o", "IdentitiesOnly=yes",
                  "-o", "PreferredAuthentications=publickey", "-o", "ConnectTimeout=10", "-i",
                  directory_ / "user", "-p", std::to_string(port_), "--", me() + "@127.0.0.1",
                  "echo hello"},
         .environment = with_askpass(kPlainEnvironment, attempt->environment())});
    EXPECT_TRUE(child);
    ssh.change([&](pid_t& pid) { pid = child->pid(); });
    login.out = read_until(child->output(), "\n");
    login.err = read_until(child->errors(), "[never]");
    login.status = child->wait(Deadline::after(kSoon)).value_or(ExitStatus{.code = -1});
    login.refusals = refusals;
    login.refused = attempt->refused();
    login.from_settings = attempt->answered_from_settings();
    return login;
  }

  askpass_testing::TemporaryDirectory directory_;
  int port_ = 0;
  std::optional<Subprocess> sshd_;
  std::unique_ptr<AskpassBroker> broker_;
};

TEST_F(AskpassSshTest, LogsInWithTheConfiguredPassphrase) {
  trust_host();
  const Login login = log_in(kPassphrase);
  EXPECT_EQ(login.out, "hello\n") << login.err;
  EXPECT_TRUE(login.status.success());
  EXPECT_TRUE(login.from_settings);
  EXPECT_EQ(login.refusals, 0);
}

TEST_F(AskpassSshTest, GivesAWrongPassphraseOnceAndStops) {
  trust_host();
  const Login login = log_in("wrong");
  EXPECT_EQ(login.out, "");
  EXPECT_TRUE(login.status.signaled);
  EXPECT_EQ(login.refusals, 1);
  EXPECT_TRUE(login.from_settings);
  ASSERT_TRUE(login.refused);
  EXPECT_EQ(login.refused->kind, QuestionKind::KeyPassphrase);
  EXPECT_EQ(login.refused->prompt,
            concat("Enter passphrase for key '", directory_ / "user", "': "));
}

TEST_F(AskpassSshTest, DoesNotAcceptAnUnknownHostWithoutAPerson) {
  const Login login = log_in(kPassphrase);
  EXPECT_EQ(login.out, "");
  EXPECT_TRUE(login.status.signaled);
  EXPECT_EQ(login.refusals, 1);
  EXPECT_FALSE(login.from_settings);
  ASSERT_TRUE(login.refused);
  EXPECT_EQ(login.refused->kind, QuestionKind::HostKey);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "known_hosts"));
}

TEST_F(AskpassSshTest, AcceptsAnUnknownHostWhenThePersonSaysSo) {
  ScriptedPerson person({"yes"});
  open_broker(&person);
  const Login login = log_in(kPassphrase);
  EXPECT_EQ(login.out, "hello\n") << login.err;
  ASSERT_EQ(person.state().asked.size(), 1U);
  EXPECT_NE(person.state().asked[0].prompt.find("SHA256:"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "known_hosts"));
  broker_.reset();
}

}  // namespace
}  // namespace yonder::link
