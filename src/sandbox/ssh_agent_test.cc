#include "sandbox/ssh_agent.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/fd.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "base/thread.h"

namespace yonder::sandbox {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

// Answers like an agent with so many keys, as often as it is asked.
class FakeAgent {
 public:
  FakeAgent(const std::string& path, unsigned char keys) : keys_(keys) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(static_cast<char*>(address.sun_path), path.data(), path.size());
    listening_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets are addressed
    const auto* at = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::bind(listening_.get(), at, sizeof address), 0) << path;
    EXPECT_EQ(::listen(listening_.get(), 4), 0);
    thread_ = Thread("agent", [this] { answer(); });
  }
  ~FakeAgent() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    thread_.join();
  }
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

 private:
  void answer() const {
    while (true) {
      const Fd caller(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!caller) return;
      std::array<char, 5> question{};
      if (::recv(caller.get(), question.data(), question.size(), MSG_WAITALL) != 5) continue;
      const std::array<unsigned char, 9> answer{0, 0, 0, 5, 12, 0, 0, 0, keys_};
      [[maybe_unused]] const auto sent =
          ::send(caller.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  }

  unsigned char keys_;
  Fd listening_;
  Thread thread_;
};

class SshAgents : public ::testing::Test {
 protected:
  std::vector<std::string> bare() const {
    return {"PATH=/usr/bin:/bin", "XDG_RUNTIME_DIR=" + scratch_.path()};
  }
  testing::Scratch scratch_;
};

TEST_F(SshAgents, AreLookedForInTheUsersRuntimeDirectory) {
  EXPECT_THAT(
      agent_places({"XDG_RUNTIME_DIR=/r"}, 7),
      ElementsAre("/r/ssh-agent.socket", "/r/keyring/ssh", "/r/gcr/ssh", "/r/openssh_agent"));
  EXPECT_THAT(agent_places({"A=b"}, 7), Contains("/run/user/7/gcr/ssh"));
  EXPECT_THAT(agent_places({"XDG_RUNTIME_DIR=odd"}, 7), Contains("/run/user/7/gcr/ssh"));
}

TEST_F(SshAgents, AreNamedByTheUsersSystemd) {
  EXPECT_EQ(agent_of_systemd("A=1\nSSH_AUTH_SOCK=/run/user/7/gcr/ssh\nB=2\n"),
            "/run/user/7/gcr/ssh");
  EXPECT_EQ(agent_of_systemd("A=SSH_AUTH_SOCK=/x\n"), "");
  EXPECT_EQ(agent_of_systemd("SSH_AUTH_SOCK=$'/a\\nb'\n"), "");
}

TEST_F(SshAgents, AreFoundWithoutTheVariable) {
  const std::string socket = scratch_ / "openssh_agent";
  const FakeAgent agent(socket, 2);
  const SshEnvironment environment(bare());
  EXPECT_EQ(environment.agent().socket, socket);
  EXPECT_EQ(environment.agent().keys, 2U);
  EXPECT_THAT(environment.with_agent(), Contains("SSH_AUTH_SOCK=" + socket));
  EXPECT_EQ(environment.plain(), bare());
}

TEST_F(SshAgents, WithKeysAreTakenRatherThanEmptyOnes) {
  const FakeAgent empty(scratch_ / "ssh-agent.socket", 0);
  const std::string socket = scratch_ / "openssh_agent";
  const FakeAgent full(socket, 1);
  EXPECT_EQ(SshEnvironment(bare()).agent().socket, socket);
}

TEST_F(SshAgents, OfTheVariableAreLeftAlone) {
  const FakeAgent other(scratch_ / "ssh-agent.socket", 3);
  auto told = bare();
  told.push_back("SSH_AUTH_SOCK=/nowhere");
  const SshEnvironment environment(told);
  EXPECT_EQ(environment.agent().socket, "/nowhere");
  EXPECT_EQ(environment.agent().keys, std::nullopt);
  EXPECT_EQ(environment.with_agent(), told);
}

TEST_F(SshAgents, OfAnotherUserAreNotAsked) {
  const std::string socket = scratch_ / "ssh-agent.socket";
  const FakeAgent agent(socket, 1);
  EXPECT_EQ(ask_agent(socket, ::geteuid()), 1U);
  EXPECT_EQ(ask_agent(socket, ::geteuid() + 1), std::nullopt);
}

TEST_F(SshAgents, ThatHaveDiedAreNotUsed) {
  scratch_.write("ssh-agent.socket", "");
  { const FakeAgent gone(scratch_ / "openssh_agent", 1); }
  const SshEnvironment environment(bare());
  EXPECT_EQ(environment.agent().socket, "");
  EXPECT_EQ(environment.with_agent(), bare());
  EXPECT_EQ(environment.agent().looked.size(), 4U);
}

}  // namespace
}  // namespace yonder::sandbox
