#include <signal.h>

#include <filesystem>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "e2e/links_fixture.h"
#include "e2e/program.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class Cli : public EndToEnd {
 protected:
  Captured yonder(const std::vector<std::string>& arguments, std::string_view input = {}) {
    return run_yonder(arguments, environment(), input);
  }
};

// Bytes of every value, without a pattern that a lost piece could hide in.
std::string odd_bytes(std::size_t size) {
  std::string bytes;
  bytes.reserve(size);
  std::uint32_t state = 12345;
  while (bytes.size() < size) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24U);
  }
  return bytes;
}

TEST_F(Cli, PassesOutputAndStatusOn) {
  const Captured done = yonder({"exec", "--", "echo to out; echo to err >&2; exit 5"});
  EXPECT_EQ(done.out, "to out\n");
  EXPECT_EQ(done.err, "to err\n");
  EXPECT_EQ(done.status.code, 5);
  EXPECT_EQ(yonder({"exec", "local", "--", "kill -9 $$"}).status.code, 137);
  EXPECT_EQ(yonder({"exec", "local", "--", "kill -TERM $$"}).status.code, 143);
  EXPECT_EQ(yonder({"exec", "local", "--", "printf", "%s|", "a b", "$HOME", "*"}).out,
            "a b|$HOME|*|");
}

TEST_F(Cli, HasAStatusOfItsOwnForItsOwnFailures) {
  const Captured unknown = yonder({"exec", "nowhere", "--", "true"});
  EXPECT_EQ(unknown.status.code, 255);
  EXPECT_THAT(unknown.err, HasSubstr("nowhere"));
  EXPECT_EQ(unknown.out, "");
  EXPECT_EQ(yonder({"exec", "local", "true"}).status.code, 2);
  EXPECT_EQ(yonder({"exec", "--", "exit 255"}).status.code, 255);
  EXPECT_EQ(yonder({"exec", "--cwd", "/no/such/place", "--", "true"}).status.code, 255);
}

TEST_F(Cli, PassesStdinThroughByteForByte) {
  const std::string bytes = odd_bytes(5UL << 20);
  const Captured done = yonder({"exec", "--", "cat"}, bytes);
  EXPECT_TRUE(done.out == bytes) << done.out.size() << " " << done.err;
  EXPECT_EQ(done.status.code, 0);
  EXPECT_EQ(yonder({"exec", "--", "head -c 3"}, bytes).out, bytes.substr(0, 3));
  EXPECT_EQ(yonder({"exec", "--", "cat"}, "").out, "");
}

TEST_F(Cli, SaysWhatIsNoLongerKeptOfALongOutputThatHasArrived) {
  Captured done;
  std::string id;
  // That it has arrived is said once, when the link ends: the word may be lost on a busy machine.
  EXPECT_TRUE(lab::eventually([&] {
    done = yonder({"exec", "--",
                   "echo $YONDER_RUN_ID >&2; head -c 30000000 /dev/zero | tr '\\0' x; echo end"});
    EXPECT_EQ(done.out.size(), 30000004U);
    id = trim(done.err);
    const std::string record = concat(lab().client_home(), "/.local/state/yonder/runs/", id);
    return lab::eventually([&] { return std::filesystem::is_regular_file(record); },
                           Deadline::after(std::chrono::seconds(6)));
  }));
  const Captured again = yonder({"exec", "local", "--attach", id});
  EXPECT_EQ(again.status.code, 0);
  EXPECT_THAT(again.out, EndsWith("xend\n"));
  EXPECT_LT(again.out.size(), 1000000U);
  EXPECT_EQ(again.out.find('\0'), std::string::npos);
  EXPECT_THAT(again.err, HasSubstr(concat("bytes 0 to ", done.out.size() - again.out.size() - 1,
                                          " of stdout are missing here")));
}

// A number on each line, so that every byte tells where it belongs.
TEST_F(Cli, ASecondReaderIsToldWhichBytesAreMissingBeforeThoseThatItGets) {
  RunningYonder first({"exec", "--",
                       "echo $YONDER_RUN_ID; seq -f %0999.f 24000; "
                       "while [ ! -e go ]; do sleep 0.02; done; echo end"},
                      environment());
  const std::string id = first.next_line();
  std::string whole = id + "\n";
  for (int i = 0; i < 24000; ++i) whole += first.next_line() + "\n";
  const std::string record = concat(lab().client_home(), "/.local/state/yonder/runs/", id);
  ASSERT_TRUE(lab::eventually([&] { return std::filesystem::exists(record + "/gone"); }));

  RunningYonder second({"exec", "local", "--quiet", "--attach", id}, environment());
  const std::string said = second.next_error_line();
  EXPECT_EQ(yonder({"exec", "local", "--", "touch go"}).status.code, 0);
  const Captured rest = second.finish();
  whole += first.finish().out;
  ASSERT_THAT(whole, EndsWith("\nend\n"));
  ASSERT_LT(rest.out.size(), whole.size());
  EXPECT_EQ(said, concat("yonder: bytes 0 to ", whole.size() - rest.out.size() - 1,
                         " of stdout are missing here: they are not kept there any more"));
  EXPECT_TRUE(whole.ends_with(rest.out)) << rest.out.substr(0, 2000);
  EXPECT_EQ(rest.err, "");
}

TEST_F(Cli, PassesEveryByteOfALongOutputOn) {
  std::string expected;
  for (int i = 1; i <= 1000000; ++i) expected += concat(i, "\n");
  const Captured done = yonder({"exec", "--", "seq 1 1000000"});
  EXPECT_TRUE(done.out == expected) << done.out.size();
}

TEST_F(Cli, ShowsOutputAsItComesAndTakesInputWhenItIsTyped) {
  RunningYonder running({"exec", "--", "echo ready; while read -r x; do echo got $x; done"},
                        environment());
  EXPECT_EQ(running.next_line(), "ready");
  ASSERT_TRUE(write_all(running.input(), "one\n"));
  EXPECT_EQ(running.next_line(), "got one");
  ASSERT_TRUE(write_all(running.input(), "two\n"));
  EXPECT_EQ(running.next_line(), "got two");
  EXPECT_EQ(running.finish().status.code, 0);
}

TEST_F(Cli, StopsTheCommandAtCtrlC) {
  const std::string marker = new_marker();
  RunningYonder running(
      {"exec", "--env", "E2E_MARK=" + marker, "--", "echo ready; sleep 1000 & sleep 1000"},
      environment());
  EXPECT_EQ(running.next_line(), "ready");
  running.signal(SIGINT);
  const Captured done = running.finish();
  EXPECT_EQ(done.status.code, 130) << done.err;
  EXPECT_TRUE(lab::eventually([&] {
    auto alive = lab::processes_matching(marker);
    std::erase(alive, running.pid());
    return alive.empty();
  }));
}

TEST_F(Cli, LeavesWithoutWaitingAtASecondCtrlCAndPromisesNothingElse) {
  const std::string gate = new_open_directory() + "/gate";
  Captured left;
  const auto leaves = [&] {
    RunningYonder running({"exec", "--", concat("trap '' TERM; echo ready; ", until(gate))},
                          environment());
    EXPECT_EQ(running.next_line(), "ready");
    const Deadline killed = Deadline::after(std::chrono::seconds(5));
    running.signal(SIGINT);
    const std::string offered = running.next_error_line();
    EXPECT_THAT(offered, HasSubstr("Ctrl-C again to leave without waiting"));
    EXPECT_THAT(offered, Not(HasSubstr("running"))) << "the stop is on its way";
    running.signal(SIGINT);
    left = running.finish();
    EXPECT_EQ(left.status.code, 130) << left.err;
    EXPECT_THAT(left.err, Not(HasSubstr("left running")));
    const bool left_it = left.err.find("--attach ") != std::string::npos;
    EXPECT_TRUE(left_it || killed.expired()) << left.err;
    return left_it;
  };
  // There is nothing to leave when the second one comes after the command was killed.
  ASSERT_TRUE(lab::eventually(leaves)) << left.err;
  const std::string run = left.err.substr(left.err.find("--attach ") + 9, 18);
  ASSERT_TRUE(parse_run_id(run)) << run;
}

TEST_F(Cli, AttachesToARunOfBefore) {
  const std::string gate = new_open_directory() + "/gate";
  const Captured early =
      yonder({"exec", "--json", "--wait", "0", "--", until(gate) + "echo later; exit 4"});
  const auto json = parse_json(early.out, "output");
  ASSERT_TRUE(json) << early.out << early.err;
  // It may not have begun yet.
  EXPECT_TRUE((*json)["running"] == true || (*json)["pending"] == true) << *json;
  ASSERT_TRUE(write_file_atomically(gate, "", Durability::Process));
  const Captured done = yonder({"exec", "local", "--attach", (*json)["run_id"].get<std::string>()});
  EXPECT_EQ(done.out, "later\n");
  EXPECT_EQ(done.status.code, 4);
}

TEST_F(Cli, AFullDiskIsToldWithTheIdAndIsNotTakenForAReaderWhoHasGone) {
  const auto onto_a_full_disk = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"sh", "-c", "exec \"$@\" > /dev/full", "sh", yonder_program()});
    const auto done =
        run_captured({.argv = arguments, .environment = environment()}, "", 1U << 20U, patience());
    EXPECT_TRUE(done) << done.error().message;
    return done ? *done : Captured{};
  };
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "local", "--", "true"},
        {"run", "local", "--json", "--", "true"},
        {"exec", "local", "--", "echo hello"},
        {"exec", "local", "--json", "--", "echo hello"}}) {
    const Captured told = onto_a_full_disk(words);
    EXPECT_EQ(told.status.code, 74) << words[0];
    EXPECT_THAT(told.err, HasSubstr("No space left on device")) << words[0];
    EXPECT_THAT(told.err, HasSubstr("r-")) << words[0];
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"hosts"}, {"hosts", "--json"}, {"ls", "local:/"}}) {
    const Captured told = onto_a_full_disk(words);
    EXPECT_EQ(told.status.code, 74) << words[0];
    EXPECT_THAT(told.err, HasSubstr("No space left on device")) << words[0];
  }
}

TEST_F(Cli, JsonIsOneValueOnStdoutWhateverGoesWrong) {
  struct Case {
    std::vector<std::string> words;
    int status;
  };
  const std::vector<Case> cases{
      {{"--json"}, 2},
      {{"nonsense", "--json"}, 2},
      {{"exec", "--json", "--timeout", "soon", "--", "true"}, 2},
      {{"exec", "--json", "true"}, 2},
      {{"run", "--json", "--no-such-option", "--", "true"}, 2},
      {{"push", "--json", "only-one"}, 2},
      {{"push", "--json", "a", "one:b", "--sandbox", "two"}, 2},
      {{"restore", "--json", "--list", "2026", "path"}, 2},
      {{"login", "--json", "local"}, 2},
      {{"ps", "--json", "nowhere"}, 255},
      {{"ls", "--json", "nowhere:"}, 255},
      {{"cat", "--json", "local:/no/such/file"}, 255},
      {{"logs", "--json", "r-abcdefgh"}, 255},
      {{"stop", "--json", "r-abcdefgh"}, 255},
      {{"transfers", "--json", "4711"}, 255},
      {{"git-sync", "--json", "nowhere:x"}, 255},
      {{"push", "--json", "/no/such/file", "local:/tmp/x"}, 255},
      {{"doctor", "--json", "nowhere"}, 255},
      {{"gpus", "--json", "nowhere"}, 255},
      {{"top", "--json", "--once", "nowhere"}, 255},
  };
  for (const auto& c : cases) {
    const Captured told = yonder(c.words);
    const std::string line = ::testing::PrintToString(c.words);
    EXPECT_EQ(told.status.code, c.status) << line << told.out << told.err;
    const auto json = parse_json(told.out, "output");
    ASSERT_TRUE(json) << line << told.out;
    ASSERT_TRUE(json->contains("error")) << line << told.out;
    for (const char* key : {"code", "message", "hint"}) {
      EXPECT_TRUE((*json)["error"].contains(key)) << line << told.out;
    }
  }
}

TEST_F(Cli, KeepsTheTimeLimit) {
  const std::string marker = new_marker();
  const Captured done = yonder({"exec", "--timeout", "0.5", "--env", "E2E_MARK=" + marker, "--",
                                "setsid sleep 1000 & sleep 1000"});
  EXPECT_EQ(done.status.code, 124);
  EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching(marker).empty(); }));
}

class CliLinks : public OneLink {};

TEST_F(CliLinks, ThatAreCutLoseNoByteInEitherDirection) {
  const std::string bytes = odd_bytes(2UL << 20);
  // Each connection of the command line lives for a few hundred kilobytes only.
  proxy().cut_after({.bytes = 600000,
                     .direction = lab::Direction::Up,
                     .since = lab::Since::Connection,
                     .times = 20});
  const Captured done = run_yonder({"exec", "box", "--", "tee /dev/stderr"}, environment(), bytes);
  EXPECT_EQ(done.status.code, 0);
  EXPECT_TRUE(done.out == bytes) << done.out.size();
  EXPECT_TRUE(done.err == bytes)
      << done.err.size() << " bytes, the last: "
      << printable(done.err.substr(done.err.size() - std::min<std::size_t>(done.err.size(), 300)));
  EXPECT_GE(proxy().stats().cuts, 3u);
}

}  // namespace
}  // namespace yonder::e2e
