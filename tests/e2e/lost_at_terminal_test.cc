// People at a terminal are told that their connection is lost, and that it is back.
#include "e2e/links_fixture.h"
#include "e2e/yonder_at_terminal.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kLost = "yonder: connection to box lost, reconnecting; the command goes on";
constexpr const char* kBack = "yonder: connected to box again";

class LostAtTerminal : public OneLink {
 protected:
  void lose_link() {
    proxy().refuse();
    proxy().cut();
  }
  // The first words of the command are on the screen.
  void expect_both_lines(YonderAtTerminal& person, const Counted& counted) {
    ASSERT_TRUE(person.shows("100")) << person.screen();
    lose_link();
    EXPECT_TRUE(person.shows(kLost)) << person.screen();
    proxy().accept();
    EXPECT_TRUE(person.shows(kBack)) << person.screen();
    let_go_on(counted);
    EXPECT_TRUE(person.shows("200")) << person.screen();
  }
};

TEST_F(LostAtTerminal, ExecSaysThatTheLinkIsLostAndThatItIsBack) {
  const Counted counted = endless(6);
  YonderAtTerminal person({"exec", "box", "--", counted.command}, environment());
  expect_both_lines(person, counted);
  EXPECT_EQ(person.finish().code, 6) << person.screen();
}

TEST_F(LostAtTerminal, LogsSaySoWhileTheyFollow) {
  const Counted counted = endless(6);
  const Captured started =
      run_yonder({"run", "box", "--no-tmux", "--", counted.command}, environment());
  ASSERT_EQ(started.status.code, 0) << started.err;
  YonderAtTerminal person({"logs", "-f", started.out.substr(0, started.out.find('\n'))},
                          environment());
  expect_both_lines(person, counted);
  EXPECT_EQ(person.finish().code, 0) << person.screen();
}

TEST_F(LostAtTerminal, AMachineThatDoesNotAnswerIsNamed) {
  const Counted counted = endless(6);
  YonderAtTerminal person({"exec", "box", "--", counted.command}, environment());
  ASSERT_TRUE(person.shows("100")) << person.screen();
  proxy().stall();
  EXPECT_TRUE(person.shows("yonder: no answer from box, waiting for it")) << person.screen();
  proxy().resume();
  EXPECT_TRUE(person.shows(kBack)) << person.screen();
  let_go_on(counted);
  EXPECT_EQ(person.finish().code, 6) << person.screen();
}

TEST_F(LostAtTerminal, PipesHaveOnlyTheOutput) {
  const Counted counted = endless(6);
  RunningYonder piped({"exec", "-n", "box", "--", counted.command}, environment());
  YonderAtTerminal person(
      {"exec", "box", "--", concat("echo 100; ", until(counted.gate), "echo 200")}, environment());
  ASSERT_TRUE(has_begun(counted));
  expect_both_lines(person, counted);
  const Captured done = piped.finish();
  EXPECT_EQ(done.out, counted.expected_output);
  EXPECT_THAT(done.err, Not(HasSubstr("connect")));
}

// A machine that takes a connection and then says nothing.
class SlowAtTerminal : public OneLink {
 protected:
  void SetUp() override {
    OneLink::SetUp();
    write_config_toml(
        "[sandbox.slow]\nhost = \"box\"\nconnect_timeout_s = 12\n"
        "[sandbox.slowest]\nhost = \"box\"\nconnect_timeout_s = 3600\n");
  }
};

TEST_F(SlowAtTerminal, EveryCommandSaysThatItConnectsAndThatItIsConnected) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"exec", "slowest", "--", "echo there"},
                                             {"run", "slowest", "--", "true"},
                                             {"ls", "slowest:/"}}) {
    proxy().stall();
    YonderAtTerminal person(words, environment());
    EXPECT_TRUE(person.shows("yonder: connecting to slowest...")) << person.screen();
    proxy().resume();
    EXPECT_EQ(person.finish().code, 0) << person.screen();
    EXPECT_THAT(person.screen(), Not(HasSubstr("again"))) << person.screen();
  }
}

TEST_F(SlowAtTerminal, CommandsAboutARunSayWhatIsTriedAndThenWhatIsKnown) {
  const Captured started =
      run_yonder({"run", "slow", "--no-tmux", "--", "sleep 600"}, environment());
  ASSERT_EQ(started.status.code, 0) << started.err;
  const std::string id = started.out.substr(0, started.out.find('\n'));
  proxy().stall();
  const std::vector<std::string> commands{"logs", "stop", "rm", "wait", "attach"};
  std::vector<std::unique_ptr<YonderAtTerminal>> people;
  for (const auto& command : commands) {
    people.push_back(
        std::make_unique<YonderAtTerminal>(std::vector<std::string>{command, id}, environment()));
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    YonderAtTerminal& person = *people[i];
    EXPECT_TRUE(person.shows("yonder: connecting to slow...")) << commands[i] << person.screen();
    EXPECT_EQ(person.finish().code, 255) << commands[i] << person.screen();
    EXPECT_THAT(person.screen(), HasSubstr("'slow'")) << commands[i];
    EXPECT_THAT(person.screen(), HasSubstr("last seen running, ")) << commands[i];
    EXPECT_THAT(person.screen(), HasSubstr(concat("again with: yonder ", commands[i], " ", id)));
  }
  proxy().resume();
  EXPECT_EQ(run_yonder({"stop", id}, environment()).status.code, 0);
}

}  // namespace
}  // namespace yonder::e2e
