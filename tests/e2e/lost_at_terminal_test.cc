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

}  // namespace
}  // namespace yonder::e2e
