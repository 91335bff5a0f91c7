#include <random>

#include "e2e/links_fixture.h"

namespace yonder::e2e {
namespace {

using namespace std::chrono_literals;
using lab::Direction;

class LinksInTrouble : public OneLink {
 protected:
  void configure_fresh(unsigned connect_timeout_s) {
    write_config_toml(concat(
        "[sandbox.fresh]\nhost = \"ssh-fresh\"\nconnect_timeout_s = ", connect_timeout_s, "\n"));
  }
};

TEST_F(LinksInTrouble, ServeManyCommandsAtOnceAndLoseAndRepeatNothing) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  std::vector<Counted> commands;
  std::vector<int> calls;
  for (int i = 0; i < 10; ++i) {
    commands.push_back(count_to_200(i));
    calls.push_back(begin(commands.back()));
  }
  // A call whose first connection is cut may say that nothing was started.
  for (const auto& command : commands) ASSERT_TRUE(has_begun(command));
  // The link never lives for longer than it takes to come up again.
  for (int cut = 0; cut < 8; ++cut) {
    agent().wait(calls.back(), Deadline::after(std::chrono::milliseconds(random() % 400)));
    proxy().cut();
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    expect_whole(result_of(calls[i]), commands[i]);
    ASSERT_FALSE(HasFailure()) << "command " << i << ", seed " << seed;
  }
}

TEST_F(LinksInTrouble, AreOpenedAgainWhenOneDirectionEnds) {
  for (const Direction direction : {Direction::Down, Direction::Up}) {
    const Counted counted = count_to_200(3);
    const int id = begin(counted);
    ASSERT_TRUE(has_begun(counted));
    proxy().half_close(direction);
    expect_whole(result_of(id), counted);
  }
}

TEST_F(LinksInTrouble, AreOpenedAgainAfterAnOrderlyEnd) {
  const Counted counted = count_to_200(3);
  const int id = begin(counted);
  ASSERT_TRUE(has_begun(counted));
  proxy().cut(lab::CutWith::Fin);
  expect_whole(result_of(id), counted);
}

TEST_F(LinksInTrouble, ComeUpWhateverTheUsersSettingsDoWithASession) {
  const lab::Sshd server = start_sshd();
  const std::vector<std::string> settings{"SessionType none", "SessionType subsystem",
                                          "StdinNull yes", "ForkAfterAuthentication yes",
                                          "RemoteCommand exit 3"};
  std::vector<lab::SshHost> hosts;
  for (const auto& setting : settings) {
    hosts.push_back(host(concat("box", hosts.size()), server));
    hosts.back().extra = {setting};
  }
  write_hosts(hosts);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Reply reply =
        agent().call("exec_bash", exec_arguments("id -un", {{"sandbox_name", concat("box", i)}}));
    EXPECT_EQ(reply.content.value("stdout", ""), "alice\n") << settings[i] << reply.content.dump();
  }
}

TEST_F(LinksInTrouble, LeadWhereTheUsersSettingsLeadNow) {
  lab::need(lab::Need::Users);
  const lab::Sshd server = start_sshd();
  const auto user = [&] { return bash("id -un", Json{{"sandbox_name", "moved"}})["stdout"]; };
  write_hosts({host("moved", server, "alice")});
  EXPECT_EQ(user(), "alice\n");
  EXPECT_EQ(user(), "alice\n");
  write_hosts({host("moved", server, "bob")});
  EXPECT_EQ(user(), "bob\n");
}

TEST_F(LinksInTrouble, MayBeSlow) {
  proxy().set_delay(100ms);
  proxy().set_rate(100000);
  const Counted counted = count_to_200(1);
  expect_whole(result_of(begin(counted)), counted);
}

TEST_F(LinksInTrouble, BringTheProgramOverASlowLine) {
  lab::Sshd fresh = start_sshd();
  auto line = start_proxy(fresh.port());
  write_hosts({host("ssh-fresh", fresh, *line, new_user().name)});
  // The program takes longer than the connect time-out, which is enough for all that comes before,
  // or is doubled.
  constexpr std::uint64_t kLessThanTheProgram = 1200000;
  constexpr std::uint64_t kMoreThanALogin = 50000;
  Reply reply;
  for (unsigned timeout = 2; !reply.arrived || reply.is_error; timeout *= 2) {
    ASSERT_LT(timeout, 100U) << reply.content;
    const auto before = line->stats().up_bytes;
    line->set_rate(kLessThanTheProgram / timeout);
    configure_fresh(timeout);
    reply = new_agent()->call(
        "exec_bash", exec_arguments("echo there", {{"sandbox_name", "fresh"}, {"wait_s", 3000}}));
    const auto sent = line->stats().up_bytes - before;
    ASSERT_TRUE(sent < kMoreThanALogin || !reply.is_error)
        << "given up after " << sent << " bytes: " << reply.content;
  }
  EXPECT_EQ(reply.content["stdout"], "there\n");
  EXPECT_GT(line->stats().up_bytes, kLessThanTheProgram);
}

TEST_F(LinksInTrouble, KeepTheCallersTimeAlsoWhileTheProgramIsSent) {
  lab::Sshd fresh = start_sshd();
  auto line = start_proxy(fresh.port());
  line->set_rate(100000);
  write_hosts({host("ssh-fresh", fresh, *line, new_user().name)});
  const auto is_sent = [&] { return line->stats().up_bytes > 50000; };
  // The time is enough to begin with the program, or is doubled.
  for (unsigned timeout = 2; !is_sent(); timeout *= 2) {
    ASSERT_LT(timeout, 100U);
    configure_fresh(timeout);
    auto asking = new_agent();
    const int id = asking->call_async("list_sandboxes", Json::object());
    ASSERT_TRUE(lab::eventually([&] { return is_sent() || asking->has_reply(id); }));
    if (is_sent()) line->stall();
    EXPECT_TRUE(asking->wait(id).arrived);
  }
}

TEST_F(LinksInTrouble, AreClosedWhenIdleAndOpenedWhenNeeded) {
  lab::Sshd quiet = start_sshd();
  write_hosts({host("ssh-quiet", quiet)});
  write_config_toml("[sandbox.quiet]\nhost = \"ssh-quiet\"\nidle_close_s = 1\n");
  EXPECT_EQ(bash("echo one", {{"sandbox_name", "quiet"}})["stdout"], "one\n");
  EXPECT_TRUE(lab::eventually([&] { return quiet.sessions() == 0; }));
  EXPECT_EQ(bash("sleep 1.5; echo two", {{"sandbox_name", "quiet"}})["stdout"], "two\n");
}

}  // namespace
}  // namespace yonder::e2e
