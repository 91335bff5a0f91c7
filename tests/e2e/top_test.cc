#include <signal.h>

#include "base/file.h"
#include "base/quote.h"
#include "e2e/background_fixture.h"
#include "e2e/program.h"
#include "e2e/yonder_at_terminal.h"
#include "e2e/yonder_cli.h"
#include "lab/gpu_stub.h"

namespace yonder::e2e {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// `yonder top` in a real tmux; the test reads what is on the screen.
class Top : public Background {
 protected:
  void SetUp() override {
    Background::SetUp();
    gpus_.set_gpus({{.name = "Stub One", .utilization = "73", .memory_used = "6144"},
                    {.name = "Stub Two", .utilization = "[N/A]"}});
  }

  void TearDown() override {
    terminal({"kill-server"});
    Background::TearDown();
  }

  // A server of its own: the runs show themselves in the other one.
  std::string terminal(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"-L", "terminal", "-u"};
    all.insert(all.end(), words.begin(), words.end());
    return tmux(all);
  }

  std::vector<std::string> with_gpus() const {
    std::string path = gpus_.path();
    for (const auto& entry : environment()) {
      if (entry.starts_with("PATH=")) path += ":" + entry.substr(5);
    }
    return environment({"PATH=" + path});
  }

  // A shell in a window of that size, with a prompt that nothing else prints.
  void open_window(const std::string& width, const std::string& height) {
    std::string variables;
    for (const auto& entry : with_gpus()) {
      if (!entry.starts_with("TERM=")) variables += shell_quote(entry) + " ";
    }
    terminal({"new-session", "-d", "-s", "top", "-x", width, "-y", height,
              concat("exec env -i TERM=screen-256color PS1='prompt> ' ", variables, "sh -i")});
    ASSERT_TRUE(shows("prompt>"));
  }

  void type(const std::string& text) const { terminal({"send-keys", "-t", "top", "-l", text}); }
  void press(const std::string& key) const { terminal({"send-keys", "-t", "top", key}); }
  void enter(const std::string& line) const {
    type(line);
    press("Enter");
  }
  std::string on_screen() const { return terminal({"capture-pane", "-p", "-t", "top"}); }

  template <class Matcher>
  bool becomes(const Matcher& matcher) const {
    std::string seen;
    const bool reached = lab::eventually(
        [&] {
          seen = on_screen();
          return ::testing::Matches(matcher)(seen);
        },
        patience());
    if (!reached) ADD_FAILURE() << "the screen shows:\n" << seen;
    return reached;
  }
  bool shows(const std::string& text) const { return becomes(HasSubstr(text)); }

  std::string top_command(const std::string& options = "") const {
    return concat(shell_quote(yonder_program()), " top --interval 0.5 ", options);
  }

  // The program itself, not what it has started.
  static pid_t yonder_with(const std::string& marker) {
    const auto marked = lab::processes_matching(marker);
    for (const auto& process : lab::living_processes()) {
      const bool is_marked = std::find(marked.begin(), marked.end(), process.pid) != marked.end();
      if (is_marked && process.name == "yonder") return process.pid;
    }
    return 0;
  }

 private:
  lab::GpuStub gpus_;
};

TEST_F(Top, ShowsMachinesGpusAndRunsAndGivesTheTerminalBack) {
  start("echo hello from the run; sleep 1000");
  start("sleep 2000");
  open_window("160", "30");
  enter(top_command());
  ASSERT_TRUE(becomes(AllOf(
      HasSubstr("▶ Machines (1, by name)"), HasSubstr("local"), HasSubstr("GPU 0  ██████░░ 73 %"),
      HasSubstr("GPU 1  ?        ?"), HasSubstr("Stub One"), HasSubstr("Runs (2, by age)"),
      HasSubstr("echo hello from the run"), HasSubstr("sleep 2000"), HasSubstr("running"))));
  // The history of a GPU grows with each look.
  ASSERT_TRUE(shows("▆▆▆"));

  press("s");
  ASSERT_TRUE(shows("▶ Machines (1, by idle)"));
  type("?");
  ASSERT_TRUE(shows("Keys"));
  press("x");
  ASSERT_TRUE(shows("Machines"));

  type("/hello");
  ASSERT_TRUE(
      becomes(AllOf(HasSubstr("Runs (1,"), HasSubstr("/hello"), Not(HasSubstr("sleep 2000")))));
  press("Enter");
  ASSERT_TRUE(shows("filter: hello"));
  press("Tab");
  ASSERT_TRUE(shows("▶ Runs (1,"));
  press("Enter");
  ASSERT_TRUE(becomes(AllOf(HasSubstr("Log of r-"), HasSubstr("\nhello from the run"))));
  press("q");
  ASSERT_TRUE(shows("▶ Runs (1,"));
  press("Escape");
  ASSERT_TRUE(shows("Runs (2,"));

  press("q");
  ASSERT_TRUE(becomes(AllOf(Not(HasSubstr("Machines (")), HasSubstr("prompt>"))));
  enter("echo status $?; stty -a");
  EXPECT_TRUE(becomes(AllOf(HasSubstr("status 0"), HasSubstr(" echo "), HasSubstr(" icanon "))));
}

TEST_F(Top, FollowsALogAsItGrows) {
  const std::string gate = new_open_directory() + "/gate";
  start(concat("echo first line; while [ ! -e ", gate, " ]; do sleep 0.1; done; echo second line"));
  open_window("100", "24");
  enter(top_command());
  ASSERT_TRUE(shows("echo first line"));
  press("Tab");
  press("Enter");
  ASSERT_TRUE(becomes(AllOf(HasSubstr("\nfirst line"), Not(HasSubstr("\nsecond line")))));
  ASSERT_TRUE(write_file_atomically(gate, "", Durability::Process));
  EXPECT_TRUE(becomes(AllOf(HasSubstr("\nsecond line"), HasSubstr("The run exited with 0"))));
  press("Escape");
  EXPECT_TRUE(shows("exited 0"));
  press("q");
  EXPECT_TRUE(shows("prompt>"));
}

TEST_F(Top, DrawsAnewWhenTheWindowChangesAndSaysSoWhenItIsTooSmall) {
  open_window("120", "30");
  enter(top_command());
  ASSERT_TRUE(shows("Stub One"));
  terminal({"resize-window", "-t", "top", "-x", "60", "-y", "20"});
  ASSERT_TRUE(becomes(
      AllOf(HasSubstr("GPU 0  ███░ 73 %"), Not(HasSubstr("Stub One")), HasSubstr("q: quit"))));
  terminal({"resize-window", "-t", "top", "-x", "30", "-y", "8"});
  ASSERT_TRUE(shows("too small"));
  terminal({"resize-window", "-t", "top", "-x", "140", "-y", "40"});
  ASSERT_TRUE(becomes(AllOf(HasSubstr("Stub One"), Not(HasSubstr("too small")))));
  press("q");
  EXPECT_TRUE(shows("prompt>"));
}

TEST_F(Top, ASignalGivesTheTerminalBackToo) {
  open_window("100", "24");
  for (const auto& [number, status] :
       {std::pair(SIGTERM, 143), {SIGINT, 130}, {SIGHUP, 129}, {SIGQUIT, 131}, {SIGABRT, 134}}) {
    const std::string marker = new_marker();
    enter(concat("clear; E2E_MARK=", marker, " ", top_command(), "; echo ended with $?; stty -a"));
    ASSERT_TRUE(shows("Machines (1,"));
    const auto pid = yonder_with(marker);
    ASSERT_NE(pid, 0);
    ::kill(pid, number);
    EXPECT_TRUE(becomes(AllOf(HasSubstr(concat("ended with ", status)), HasSubstr(" icanon "),
                              Not(HasSubstr("Machines (")))));
  }
}

TEST_F(Top, AMachineThatHangsKeepsItsLastValuesAndNobodyWaitsForIt) {
  const auto sshd = start_sshd();
  const auto proxy = start_proxy(sshd.port());
  write_hosts({host("box", sshd, *proxy)});
  open_window("120", "30");
  enter(top_command("local box"));
  ASSERT_TRUE(becomes(AllOf(HasSubstr("Machines (2,"), HasSubstr("Stub One"), HasSubstr("\nbox "),
                            Not(HasSubstr("asking")))));
  ASSERT_TRUE(becomes(Not(HasSubstr("not answer"))));
  proxy->stall();
  ASSERT_TRUE(
      becomes(AllOf(HasSubstr("1 does not answer"), AnyOf(HasSubstr(" old) no answer for "),
                                                          HasSubstr(" old) cannot be reached")))));
  // Keys work meanwhile, and the end does not wait for it either.
  press("s");
  ASSERT_TRUE(shows("by idle"));
  press("q");
  EXPECT_TRUE(becomes(AllOf(HasSubstr("prompt>"), Not(HasSubstr("Machines (")))));
  enter("echo it is $((40 + 2))");
  EXPECT_TRUE(shows("it is 42"));
}

TEST_F(Top, ATerminalThatCannotShowItIsToldWhatToDoInstead) {
  open_window("100", "24");
  enter(concat("TERM=dumb ", top_command(), "; echo ended with $?"));
  EXPECT_TRUE(
      becomes(AllOf(HasSubstr("TERM=dumb"), HasSubstr("--once"), HasSubstr("\nended with 255"))));
}

TEST_F(Top, PrintsOneTableIntoAPipe) {
  start("sleep 1000");
  const Captured done = run_yonder({"top"}, with_gpus());
  EXPECT_EQ(done.status.code, 0) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("machine\tlocal\t"), HasSubstr("gpu\tlocal\t0\tStub One\t73 %"),
                    HasSubstr("run\tlocal\tr-"), HasSubstr("\trunning\t")));
  EXPECT_EQ(run_yonder({"top", "--once", "nowhere"}, with_gpus()).status.code, 255);
}

TEST_F(Top, PrintsAnObjectForEachLook) {
  start("sleep 1000");
  const Captured once = run_yonder({"top", "--json", "--once"}, with_gpus());
  EXPECT_EQ(once.status.code, 0) << once.err;
  const auto json = parse_json(once.out, "output");
  ASSERT_TRUE(json) << once.out;
  EXPECT_EQ((*json)["machines"][0]["name"], "local");
  EXPECT_EQ((*json)["machines"][0]["reachable"], true);
  EXPECT_EQ((*json)["machines"][0]["gpu"][0]["util_pct"], 73);
  EXPECT_TRUE((*json)["machines"][0]["gpu"][1]["util_pct"].is_null());
  EXPECT_EQ((*json)["runs"][0]["command"], "sleep 1000");

  RunningYonder stream({"top", "--json", "--interval", "0.3"}, with_gpus());
  for (int i = 0; i < 3; ++i) {
    const std::string line = stream.next_line();
    EXPECT_TRUE(parse_json(line, "a line")) << line;
  }
  stream.signal(SIGINT);
  EXPECT_EQ(stream.finish().status.code, 130);
}

}  // namespace
}  // namespace yonder::e2e
