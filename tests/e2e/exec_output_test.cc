#include <filesystem>

#include "base/text.h"
#include "e2e/fixture.h"
#include "lab/wait.h"

namespace yonder::e2e {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ExecOutput : public EndToEnd {};

TEST_F(ExecOutput, KeepsStdoutAndStderrApart) {
  const Json done = bash("echo to out; echo to err >&2");
  EXPECT_EQ(done["stdout"], "to out\n");
  EXPECT_EQ(done["stderr"], "to err\n");
  EXPECT_EQ(done["exit_code"], 0);
  EXPECT_EQ(done["state"], "exited");
  EXPECT_EQ(done["truncated"], false);
  EXPECT_EQ(done["binary"], false);
  EXPECT_THAT(done["left_running"], IsEmpty());
  EXPECT_EQ(done["sandbox"], "local");
}

TEST_F(ExecOutput, SaysHowTheCommandEnded) {
  EXPECT_EQ(bash("exit 3")["exit_code"], 3);
  const Json missing = bash("no-such-program-anywhere");
  EXPECT_EQ(missing["exit_code"], 127);
  EXPECT_EQ(missing["state"], "exited");
  const Json killed = bash("kill -9 $$");
  EXPECT_EQ(killed["state"], "signaled");
  EXPECT_EQ(killed["exit_code"], 137);
  EXPECT_EQ(killed["signal"], "SIGKILL");
  EXPECT_EQ(killed["timed_out"], false);
  const Json own = bash("exit 124");
  EXPECT_EQ(own["exit_code"], 124);
  EXPECT_EQ(own["timed_out"], false);
  EXPECT_EQ(own["state"], "exited");
}

TEST_F(ExecOutput, UsesBashWhereThereIsOne) {
  EXPECT_EQ(bash("a=(1 2 3); echo ${a[2]} $BASH_VERSION | cut -c1-3")["stdout"], "3 5\n");
}

TEST_F(ExecOutput, BoundsTheOutputOfHundredsOfMegabytesAndKeepsItsEnd) {
  bash("true");
  const Json done =
      bash("echo the beginning; head -c 300000000 /dev/zero | tr '\\0' x; echo; echo the end",
           {{"max_output_chars", 1000}});
  const std::string text = done["stdout"];
  EXPECT_THAT(text, StartsWith("the beginning\n"));
  EXPECT_THAT(text, EndsWith("\nthe end\n"));
  EXPECT_LT(text.size(), 1200u);
  EXPECT_EQ(done["stdout_bytes"], 300000000u + 14 + 1 + 8);
  EXPECT_EQ(done["truncated"], true);
  EXPECT_THAT(done["warnings"].dump(), HasSubstr("stdout is not kept there between byte "));
  EXPECT_LT(peak_memory(agent().pid()), enough_memory());
  bool seen = false;
  for (const auto& process : family_of(agent().pid())) {
    EXPECT_LT(peak_memory(process.pid), enough_memory()) << process.name;
    seen = seen || process.name.starts_with("outpost");
  }
  EXPECT_TRUE(seen);
}

TEST_F(ExecOutput, LeavesOneFileOverThereOfEachCommandWhoseResultHasArrived) {
  std::vector<Json> runs;
  for (int i = 0; i < 5; ++i) runs.push_back(bash(concat("echo number ", i, "; exit ", i)));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string record = concat(lab().client_home(), "/.local/state/yonder/runs/",
                                      runs[i]["run_id"].get<std::string>());
    EXPECT_TRUE(lab::eventually([&] { return std::filesystem::is_regular_file(record); })) << i;
    EXPECT_LT(std::filesystem::file_size(record), 4096U);
  }
  const Json again = content_of(agent().call("exec_bash", {{"run_id", runs[3]["run_id"]}}));
  EXPECT_EQ(again["stdout"], "number 3\n");
  EXPECT_EQ(again["exit_code"], 3);
  EXPECT_EQ(again["attached"], true);
}

TEST_F(ExecOutput, MarksWhatIsNotText) {
  const Json done = bash("printf 'a\\377\\376b\\n'");
  EXPECT_EQ(done["binary"], true);
  EXPECT_THAT(done["stdout"].get<std::string>(), StartsWith("a"));
  EXPECT_THAT(done["stdout"].get<std::string>(), EndsWith("b\n"));
  EXPECT_EQ(done["stdout_bytes"], 5);
  const Json text = bash("printf 'gr\\303\\274n \\342\\202\\254\\n'");
  EXPECT_EQ(text["binary"], false);
  EXPECT_EQ(text["stdout"], "gr\u00fcn \u20ac\n");
}

TEST_F(ExecOutput, KeepsTerminalCodesOutOfWhatModelsSee) {
  const Json done = bash("printf '\\033[1;31mred\\033[0m and \\033]0;title\\007plain\\n'");
  EXPECT_EQ(done["stdout"], "red and plain\n");
}

TEST_F(ExecOutput, FoldsProgressBars) {
  const Json done = bash("for i in 1 2 3; do printf '\\r%s %%' $i; done; echo");
  EXPECT_EQ(done["stdout"], "3 %\n");
}

TEST_F(ExecOutput, LetsNothingButTheProtocolOntoStdout) {
  bash("echo one");
  bash_error("");
  ASSERT_TRUE(agent().answers());
  for (const auto& line : split(agent().output(), '\n')) {
    EXPECT_TRUE(line.empty() || parse_json(line, "line").has_value()) << line;
  }
}

}  // namespace
}  // namespace yonder::e2e
