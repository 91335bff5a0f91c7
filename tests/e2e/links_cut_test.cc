#include <signal.h>

#include <random>
#include <set>

#include "e2e/links_fixture.h"

namespace yonder::e2e {
namespace {

using lab::Direction;

class LinksCut : public OneLink {};

TEST_F(LinksCut, InTheMiddleOfACommandChangeNothingInTheReply) {
  const Counted counted = count_to_200(3);
  const int id = begin(counted);
  ASSERT_TRUE(has_begun(counted));
  proxy().cut();
  expect_whole(result_of(id), counted);
  EXPECT_EQ(proxy().stats().cuts, 1u);
}

TEST_F(LinksCut, TwentyTimesAtRandomMomentsLoseAndRepeatNothing) {
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  const auto up_to = [&](unsigned last) { return random() % (last + 1); };
  for (int i = 0; i < 20; ++i) {
    const Counted counted = count_to_200(i);
    const auto cuts = proxy().stats().cuts;
    if (i % 4 == 1) proxy().cut_after({.bytes = 1 + up_to(250), .direction = Direction::Up});
    if (i % 4 == 3) proxy().cut_after({.bytes = 1 + up_to(2000), .direction = Direction::Down});
    const int id = begin(counted);
    if (i % 2 == 0) {
      agent().wait(id, Deadline::after(std::chrono::milliseconds(up_to(550))));
      proxy().cut();
    }
    expect_whole(result_of(id), counted);
    EXPECT_GT(proxy().stats().cuts, cuts) << "command " << i << " was not disturbed";
    ASSERT_FALSE(HasFailure()) << "command " << i << ", seed " << seed;
  }
}

TEST_F(LinksCut, AroundTheArrivalOfTheRequestStartItOnce) {
  for (const Direction direction : {Direction::Up, Direction::Down}) {
    for (const std::uint64_t bytes : {1U, 40U, 150U, 400U}) {
      const Counted counted = short_command(9);
      proxy().cut_after({.bytes = bytes, .direction = direction});
      expect_whole(result_of(begin(counted)), counted);
      ASSERT_FALSE(HasFailure()) << "cut after " << bytes << " bytes "
                                 << (direction == Direction::Up ? "up" : "down");
    }
  }
}

TEST_F(LinksCut, OfWhomAKeyHasLedToTheRunOfAnotherDoNotLoseThatRun) {
  const Counted counted = endless(5);
  const int first = begin(counted, {{"key", "one"}});
  ASSERT_TRUE(has_begun(counted));
  const int second = begin(counted, {{"key", "one"}});
  agent().wait(second, Deadline::after(std::chrono::milliseconds(200)));
  proxy().cut();
  let_go_on(counted);
  const Json begun = result_of(first);
  const Json led = result_of(second);
  expect_whole(begun, counted);
  EXPECT_EQ(led["run_id"], begun["run_id"]);
  EXPECT_EQ(led["state"], "exited");
  EXPECT_EQ(led["attached"], true);
}

TEST_F(LinksCut, AgainAndAgainStillDeliverEveryByteInOrder) {
  std::string expected;
  for (int i = 1; i <= 100000; ++i) expected += concat(i, "\n");
  // Each connection lives for 150 KB of the 589 KB only.
  proxy().cut_after({.bytes = 150000,
                     .direction = Direction::Down,
                     .since = lab::Since::Connection,
                     .times = 10});
  const Json done =
      bash("seq 1 100000; exit 2", {{"sandbox_name", "box"}, {"max_output_chars", 1000000}});
  EXPECT_EQ(done["exit_code"], 2);
  EXPECT_TRUE(done["stdout"] == expected) << done["stdout_bytes"];
  EXPECT_GE(proxy().stats().cuts, 3u);
}

TEST_F(LinksCut, DuringACancellationStillStopTheCommand) {
  const std::string marker = new_marker();
  const int id = agent().call_async(
      "exec_bash", exec_arguments("trap '' TERM; while true; do sleep 1000; done",
                                  {{"sandbox_name", "box"}, {"env", {{"E2E_MARK", marker}}}}));
  ASSERT_TRUE(lab::eventually([&] { return lab::processes_matching(marker).size() >= 2; }));
  proxy().cut_after({.bytes = 1, .direction = Direction::Up});
  agent().cancel(id);
  EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching(marker).empty(); }));
  ASSERT_TRUE(agent().answers());
  EXPECT_FALSE(agent().has_reply(id));
}

TEST_F(LinksCut, DuringTheFirstContactEndInAWorkingOutpost) {
  // Another machine, to which the program was never sent.
  lab::Sshd fresh = start_sshd();
  auto line = start_proxy(fresh.port());
  write_hosts({host("fresh", fresh, *line, new_user().name)});
  line->cut_after({.bytes = 200000, .direction = Direction::Up});
  const Json error = bash_error("echo no", {{"sandbox_name", "fresh"}});
  EXPECT_EQ(error["code"], "unreachable") << error;
  EXPECT_EQ(error["retryable"], true);
  EXPECT_EQ(bash("echo yes", {{"sandbox_name", "fresh"}})["stdout"], "yes\n");
}

class LinksKilled : public OneLink {};

TEST_F(LinksKilled, AtTheNearEndAreOpenedAgain) {
  const Counted counted = count_to_200(4);
  const int id = begin(counted);
  ASSERT_TRUE(has_begun(counted));
  int killed = 0;
  for (const auto& process : family_of(agent().pid())) {
    if (process.name == "ssh") killed += ::kill(process.pid, SIGKILL) == 0 ? 1 : 0;
  }
  EXPECT_EQ(killed, 1);
  expect_whole(result_of(id), counted);
}

TEST_F(LinksKilled, AtTheServerAreOpenedAgain) {
  const Counted counted = count_to_200(5);
  const int id = begin(counted);
  ASSERT_TRUE(has_begun(counted));
  EXPECT_EQ(sshd().kill_sessions(), 1u);
  expect_whole(result_of(id), counted);
}

TEST_F(LinksKilled, TogetherWithTheOutpostAreOpenedAgain) {
  const Counted counted = count_to_200(6);
  const int id = begin(counted);
  ASSERT_TRUE(has_begun(counted));
  // A spare that it is just forking has its name too, and goes with it.
  std::set<pid_t> outposts;
  int links = 0;
  for (const auto& process : family_of(sshd().pid())) {
    if (!process.name.starts_with("outpost-")) continue;
    if (!outposts.contains(process.parent)) ++links;
    outposts.insert(process.pid);
  }
  EXPECT_EQ(links, 1);
  for (const pid_t pid : outposts) ::kill(pid, SIGKILL);
  expect_whole(result_of(id), counted);
}

TEST_F(LinksKilled, ByARestartOfTheServerAreOpenedAgain) {
  const Counted counted = count_to_200(7);
  const int id = begin(counted);
  ASSERT_TRUE(has_begun(counted));
  sshd().stop();
  const auto started = sshd().start_again();
  ASSERT_TRUE(started) << started.error().message;
  expect_whole(result_of(id), counted);
}

TEST_F(LinksKilled, AreNotConfusedWithARunThatDied) {
  const std::string marker = new_marker();
  const int id = agent().call_async(
      "exec_bash", exec_arguments("echo begun; exec sleep 1000",
                                  {{"sandbox_name", "box"}, {"env", {{"E2E_MARK", marker}}}}));
  ASSERT_TRUE(lab::eventually([&] { return lab::processes_matching(marker).size() == 1; }));
  const pid_t command = lab::processes_matching(marker).at(0);
  ASSERT_TRUE(lab::eventually([&] {  // it has printed by then
    return file_text(concat("/proc/", command, "/cmdline")).starts_with("sleep");
  }));
  pid_t supervisor = 0;
  for (const auto& process : lab::living_processes()) {
    if (process.pid == command) supervisor = process.parent;
  }
  ASSERT_GT(supervisor, 1);
  lab::kill_and_wait({supervisor, command});
  const Json done = result_of(id);
  EXPECT_EQ(done["state"], "lost") << done;
  EXPECT_TRUE(done["exit_code"].is_null());
  EXPECT_NE(done["proof"], "");
  EXPECT_EQ(done["stdout"], "begun\n");
}

}  // namespace
}  // namespace yonder::e2e
