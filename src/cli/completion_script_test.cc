#include "cli/completion_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/patience_test.h"
#include "base/scratch_test.h"
#include "base/subprocess.h"

namespace yonder::cli {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kEnvironment{"PATH=/usr/local/bin:/usr/bin:/bin",
                                            "HOME=/nonexistent"};

// Sources the script, with a `yonder` that knows two sandboxes, and completes `words`; the last one
// is being typed.
std::string completed_by_bash(const std::string& words) {
  const std::string script =
      completion_script(Shell::Bash, command_shapes()) +
      "yonder() { if [ \"$1\" = ps ]; then echo r-abcd nightly; else echo gpu1 gpu2; fi; }\n"
      "COMP_WORDS=(" +
      words +
      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_yonder\n"
      "echo \"${COMPREPLY[*]}\"\n";
  const auto result = run_captured({.argv = {"bash", "-s"}, .environment = kEnvironment}, script,
                                   65536, testing::patience());
  if (!result) return result.error().message;
  return result->out + result->err;
}

bool is_installed(const std::string& program) {
  const auto result = run_captured({.argv = {program, "--version"}, .environment = kEnvironment},
                                   "", 65536, testing::patience());
  return result && result->status.success();
}

TEST(BashCompletion, OffersCommandsOptionsAndSandboxes) {
  EXPECT_EQ(completed_by_bash("yonder ex"), "exec\n");
  EXPECT_EQ(completed_by_bash("yonder exec gp"), "gpu1 gpu2\n");
  EXPECT_EQ(completed_by_bash("yonder hosts gp"), "gpu1 gpu2\n");
  EXPECT_EQ(completed_by_bash("yonder use gp"), "gpu1 gpu2\n");
  EXPECT_EQ(completed_by_bash("yonder exec --timeout 3 gp"), "gpu1 gpu2\n");
  EXPECT_EQ(completed_by_bash("yonder exec gpu1 --time"), "--timeout\n");
  EXPECT_EQ(completed_by_bash("yonder completion z"), "zsh\n");
  EXPECT_EQ(completed_by_bash("yonder help doc"), "doctor\n");
}

TEST(BashCompletion, OffersFilesWherePathsOfThisMachineAreMeantAndRunsWhereRunsAre) {
  const testing::Scratch scratch;
  const std::string file = scratch.write("only-one", "");
  const std::string begun = scratch / "only-o";
  EXPECT_EQ(completed_by_bash("yonder push " + begun), file + "\n");
  EXPECT_EQ(completed_by_bash("yonder push /etc/passwd gp"), "gpu1: gpu2:\n");
  EXPECT_EQ(completed_by_bash("yonder pull gp"), "gpu1: gpu2:\n");
  EXPECT_EQ(completed_by_bash("yonder write --from " + begun), file + "\n");
  EXPECT_EQ(completed_by_bash("yonder git-sync --local " + begun), file + "\n");
  EXPECT_EQ(completed_by_bash("yonder ls gp"), "gpu1: gpu2:\n");
  EXPECT_EQ(completed_by_bash("yonder ls --sandbox gp"), "gpu1 gpu2\n");
  EXPECT_EQ(completed_by_bash("yonder logs -f r"), "r-abcd\n");
  EXPECT_EQ(completed_by_bash("yonder stop r-abcd n"), "nightly\n");
  EXPECT_EQ(completed_by_bash("yonder exec --attach r"), "r-abcd\n");
  EXPECT_EQ(completed_by_bash("yonder cat gpu1 : g"), "\n") << "as bash splits gpu1:g";
  EXPECT_EQ(completed_by_bash("yonder cat gpu1:g"), "\n");
}

TEST(BashCompletion, OffersNothingForAnotherMachineOrForAValue) {
  EXPECT_EQ(completed_by_bash("yonder exec gpu1 -- gp"), "\n");
  EXPECT_EQ(completed_by_bash("yonder exec --cwd gp"), "\n");
  EXPECT_EQ(completed_by_bash("yonder exec gpu1 gp"), "\n");
  EXPECT_EQ(completed_by_bash("yonder transfers gp"), "\n");
}

TEST(CompletionScripts, AreValidForTheirShells) {
  struct Case {
    Shell shell;
    std::vector<std::string> argv;
  };
  const std::vector<Case> cases{{Shell::Bash, {"bash", "-n"}},
                                {Shell::Zsh, {"zsh", "-n"}},
                                {Shell::Fish, {"fish", "--no-execute"}}};
  for (const auto& c : cases) {
    if (!is_installed(c.argv[0])) continue;
    const auto result =
        run_captured({.argv = c.argv, .environment = kEnvironment},
                     completion_script(c.shell, command_shapes()), 65536, testing::patience());
    ASSERT_TRUE(result) << c.argv[0] << ": " << result.error().message;
    EXPECT_TRUE(result->status.success()) << c.argv[0] << ": " << result->err;
    EXPECT_EQ(result->err, "") << c.argv[0];
  }
}

TEST(CompletionScripts, KnowEveryCommand) {
  for (const Shell shell : {Shell::Bash, Shell::Zsh, Shell::Fish}) {
    const std::string script = completion_script(shell, command_shapes());
    for (const auto& command : command_shapes()) EXPECT_THAT(script, HasSubstr(command.name));
    EXPECT_THAT(script, ::testing::Not(HasSubstr("--names'")));
  }
}

}  // namespace
}  // namespace yonder::cli
