#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "outpost/open_output.h"
#include "outpost/output_carrying.h"
#include "outpost/output_keeper.h"
#include "outpost/remove_run.h"
#include "outpost/run_fixture_test.h"
#include "outpost/spare.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The way of what a command prints into the files of its run.
class Output : public RunTest {
 protected:
  static wire::AliveRecord alive_of(const RunRecord& record) {
    wait_until_alive(record);
    const auto alive = record.read_alive();
    EXPECT_TRUE(alive && *alive);
    return alive && *alive ? **alive : wire::AliveRecord{};
  }
  static std::vector<pid_t> writers_of(const RunRecord& record) {
    const auto supervisor = static_cast<pid_t>(alive_of(record).supervisor.pid);
    std::vector<pid_t> found;
    for (const auto& process : all_processes()) {
      const bool writes = process.parent == supervisor && process.name == kWriterName;
      if (writes && !process.gone()) found.push_back(process.pid);
    }
    return found;
  }
  static pid_t writer_of(const RunRecord& record) {
    std::vector<pid_t> found;
    EXPECT_TRUE(testing::eventually([&] {
      found = writers_of(record);
      return found.size() == 1;
    }));
    return found.empty() ? -1 : found.front();
  }
  static void kill_and_wait(pid_t pid) {
    ASSERT_GT(pid, 1);
    ::kill(pid, SIGKILL);
    EXPECT_TRUE(testing::eventually([&] { return process_gone(pid); }));
  }
  static void kill_supervisor(const RunRecord& record) {
    kill_and_wait(static_cast<pid_t>(alive_of(record).supervisor.pid));
  }
  static void wait_for_text(const RunRecord& record, const char* file, const std::string& text) {
    EXPECT_TRUE(testing::eventually([&] { return text_of(record, file).ends_with(text); }))
        << text_of(record, file);
  }
  static std::string numbers_up_to(int last) {
    std::string text;
    for (int i = 1; i <= last; ++i) text += concat(i, "\n");
    return text;
  }
  wire::StartRequest background(const std::string& command) const {
    auto wanted = request(command);
    wanted.background = true;
    return wanted;
  }
};

constexpr const char* kWaitForGo = "while [ ! -e go ]; do sleep 0.01; done; ";

TEST_F(Output, IsNotTruncatedByACommandThatOpensDevStderr) {
  const auto record = start(
      "echo one >&2; echo two > /dev/stderr; echo three | tee /dev/stderr > /dev/null; "
      "echo four >&2");
  wait_for_end(record);
  EXPECT_EQ(text_of(record, "err"), "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(text_of(record, "out"), "");
}

TEST_F(Output, IsNotTruncatedByACommandThatOpensDevStdout) {
  const auto record = start(
      "echo one; echo two > /dev/stdout; exec 3> /dev/stdout; echo three >&3; echo four <> "
      "/dev/stdout; echo five > /proc/self/fd/1; echo six");
  wait_for_end(record);
  EXPECT_EQ(text_of(record, "out"), "one\ntwo\nthree\nfour\nfive\nsix\n");
}

TEST_F(Output, OfABackgroundRunIsNotTruncatedEither) {
  const auto record =
      start(background("echo one; echo two > /dev/stderr; echo three > /dev/stdout"));
  wait_for_end(record);
  EXPECT_EQ(text_of(record, "log"), "one\ntwo\nthree\nEXIT_CODE=0\n");
}

TEST_F(Output, GoesToTheEndOfALogOfTheUser) {
  scratch_.write("mine", "before\n");
  auto wanted = background("echo one; echo two >&2");
  wanted.log_file = scratch_ / "mine";
  wait_for_end(start(wanted));
  EXPECT_EQ(scratch_.read("mine"), "before\none\ntwo\nEXIT_CODE=0\n");
}

TEST_F(Output, IsCompleteWhenTheEndIsSeen) {
  const std::string expected = numbers_up_to(100000);
  for (int i = 0; i < 5; ++i) {
    const auto record = start("seq 100000; echo err >&2");
    wait_for_end(record);
    EXPECT_TRUE(text_of(record, "out") == expected);
    EXPECT_EQ(text_of(record, "err"), "err\n");
  }
}

TEST_F(Output, LosesNoByteWhenItsWriterIsKilled) {
  const auto record = start(concat("seq 300000; ", kWaitForGo, "seq 300001 600000; echo end >&2"));
  for (int i = 0; i < 5; ++i) kill_and_wait(writer_of(record));
  scratch_.write("go", "");
  for (int i = 0; i < 5 && !record.has_ended(); ++i) {
    const auto writers = writers_of(record);
    if (!writers.empty()) ::kill(writers.front(), SIGKILL);
  }
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_TRUE(text_of(record, "out") == numbers_up_to(600000));
  EXPECT_EQ(text_of(record, "err"), "end\n");
}

TEST_F(Output, GoesOnWithoutItsSupervisor) {
  const auto record = start(concat("echo before; ", kWaitForGo, "echo after; echo err >&2"));
  wait_for_text(record, "out", "before\n");
  kill_supervisor(record);
  scratch_.write("go", "");
  wait_for_text(record, "out", "before\nafter\n");
  wait_for_text(record, "err", "err\n");
  EXPECT_TRUE(testing::eventually([&] { return !has_writer(record); })) << "it has no more to do";
}

TEST_F(Output, OfACommandWhoseSupervisorAndWriterWereKilledIsRescuedByWhoeverLooks) {
  const auto record = start(concat("echo before; ", kWaitForGo, "seq 100000"));
  wait_for_text(record, "out", "before\n");
  const pid_t writer = writer_of(record);
  ::kill(static_cast<pid_t>(alive_of(record).supervisor.pid), SIGSTOP);
  kill_and_wait(writer);
  kill_supervisor(record);
  scratch_.write("go", "");
  ASSERT_TRUE(testing::eventually([&] { return !record.locked(); }));
  rescue_output(record, around_.boot_id);
  wait_for_text(record, "out", "\n100000\n");
  EXPECT_EQ(text_of(record, "out"), "before\n" + numbers_up_to(100000));
}

TEST_F(Output, OfWhatACommandLeavesBehindIsKeptToo) {
  const auto record = start(concat("(", kWaitForGo, "echo late) & echo first"));
  EXPECT_FALSE(wait_for_end(record).left_running.empty());
  EXPECT_EQ(text_of(record, "out"), "first\n");
  scratch_.write("go", "");
  wait_for_text(record, "out", "first\nlate\n");
}

TEST_F(Output, OfWhatALogCommandLeavesBehindComesAfterTheLastLine) {
  const auto record = start(background(concat("(", kWaitForGo, "echo late) & echo first")));
  wait_for_end(record);
  EXPECT_EQ(text_of(record, "log"), "first\nEXIT_CODE=0\n");
  scratch_.write("go", "");
  wait_for_text(record, "log", "first\nEXIT_CODE=0\nlate\n");
}

TEST_F(Output, OfWhatIsLeftBehindAndPrintsForEverHoldsNoEndUp) {
  const auto record = start("(while :; do echo x; done) & echo first >&2");
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.code, 0);
  EXPECT_EQ(text_of(record, "err"), "first\n");
}

TEST_F(Output, MayBeClosedByTheCommand) {
  const auto record =
      start(concat("echo out; echo err >&2; exec >&- 2>&-; ", kWaitForGo, "exit 3"));
  wait_for_text(record, "out", "out\n");
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record).code, 3);
  EXPECT_EQ(text_of(record, "err"), "err\n");
}

TEST_F(Output, LeavesTheCommandNoDescriptorsButItsOwn) {
  const auto record = start("ls -l /proc/self/fd | grep -c ' -> '; ls /proc/$$/fd");
  wait_for_end(record);
  EXPECT_THAT(text_of(record, "out"), StartsWith("4\n0\n1\n2\n"));
}

TEST_F(Output, HasAWriterThatHoldsNothingElse) {
  const auto record = start(concat("echo before; ", kWaitForGo));
  wait_for_text(record, "out", "before\n");
  const pid_t writer = writer_of(record);
  const auto alive = alive_of(record);
  EXPECT_EQ(alive.pipes.size(), 2U);
  EXPECT_FALSE(writes_output_of(writer, "r-none", alive.pipes)) << "it would never see the end";
  EXPECT_TRUE(writes_output_of(static_cast<pid_t>(alive.command.pid), "r-none", alive.pipes));
  for (const auto& name : names_in(concat("/proc/", writer, "/fd"))) {
    const auto target = std::filesystem::read_symlink(concat("/proc/", writer, "/fd/", name));
    EXPECT_EQ(target.string().find("/spec"), std::string::npos);
    EXPECT_EQ(target.string().find("socket:"), std::string::npos);
  }
  scratch_.write("go", "");
  wait_for_end(record);
  EXPECT_TRUE(testing::eventually([&] { return process_gone(writer); }));
}

TEST_F(Output, IsNoProcessOfTheRun) {
  const auto record = start("echo before; exec sleep 1000");
  wait_for_text(record, "out", "before\n");
  writer_of(record);
  const auto command = static_cast<pid_t>(alive_of(record).command.pid);
  EXPECT_THAT(*find_members(members_of(record, observe(record, around_.boot_id))),
              ElementsAre(command));
  ::kill(command, SIGTERM);
  EXPECT_THAT(wait_for_end(record).left_running, IsEmpty());
}

TEST_F(Output, OfHundredsOfProcessesIsKeptAndTheyCanBeStopped) {
  auto wanted = request("for i in $(seq 400); do (echo $i; exec sleep 1000) & done; wait");
  const auto record = start(wanted);
  EXPECT_TRUE(testing::eventually([&] {
    const std::string text = text_of(record, "out");
    return std::count(text.begin(), text.end(), '\n') == 400;
  }));
  TreeEnder ender(members_of(record, observe(record, around_.boot_id)), Duration::zero());
  EXPECT_TRUE(testing::eventually([&] { return ender.step(); }));
  EXPECT_TRUE(wait_for_end(record).signal);
}

TEST_F(Output, OfASpareRunTakesTheSameWay) {
  auto spare = Spare::fork_one(around_.state_dir);
  ASSERT_TRUE(spare);
  const auto record = start(request("echo one; echo two > /dev/stdout; echo err >&2"), spare);
  wait_for_end(record);
  EXPECT_EQ(text_of(record, "out"), "one\ntwo\n");
  EXPECT_EQ(text_of(record, "err"), "err\n");
  auto other = Spare::fork_one(around_.state_dir);
  const auto log = start(background("echo one; echo two > /dev/stderr"), other);
  wait_for_end(log);
  EXPECT_EQ(text_of(log, "log"), "one\ntwo\nEXIT_CODE=0\n");
}

TEST_F(Output, IsThrownAwayWhereItsFileCannotGrow) {
  // A process whose files may not grow beyond 64 KiB, and whose children's may not either.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{65536, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto record = start("head -c 5000000 /dev/zero; exit 3");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.code, 3);
  EXPECT_TRUE(exit.disk_full);
  EXPECT_EQ(text_of(record, "out").size(), 65536U);
}

}  // namespace
}  // namespace yonder::outpost
