#include "outpost/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_test.h"

namespace yonder::outpost {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ResolveDirectory, MeansWhatTheUserMeant) {
  struct Row {
    std::string cwd, home, expected;
  };
  for (const auto& row : std::vector<Row>{{"", "/home/u", "/home/u"},
                                          {"", "", "/"},
                                          {"~", "/home/u", "/home/u"},
                                          {"~/x y", "/home/u", "/home/u/x y"},
                                          {"sub", "/home/u", "/home/u/sub"},
                                          {"./~name", "/home/u", "/home/u/./~name"},
                                          {"/abs", "", "/abs"},
                                          {"/abs", "/home/u", "/abs"}}) {
    const auto found = resolve_directory(row.cwd, row.home);
    ASSERT_TRUE(found) << row.cwd;
    EXPECT_EQ(*found, row.expected);
  }
}

TEST(ResolveDirectory, RefusesWhatItCannotKnow) {
  for (const auto& [cwd, home] : std::vector<std::pair<std::string, std::string>>{
           {"sub", ""}, {"~", ""}, {"~other", "/home/u"}, {std::string("/a\0b", 4), "/home/u"}}) {
    const auto found = resolve_directory(cwd, home);
    ASSERT_FALSE(found) << cwd;
    EXPECT_EQ(found.error().code, Errc::InvalidArgument);
  }
}

class CheckRequest : public ::testing::Test {
 protected:
  CheckRequest() { good_.command = "true"; }
  std::string complaint() const {
    const auto checked = check_request(good_, scratch_.path());
    if (checked) return "";
    EXPECT_EQ(checked.error().code, Errc::InvalidArgument) << checked.error().message;
    return checked.error().message;
  }
  testing::Scratch scratch_;
  wire::StartRequest good_;
};

TEST_F(CheckRequest, TakesACommandOrAnArgumentListButNotBoth) {
  EXPECT_EQ(complaint(), "");
  good_.argv = {"true"};
  EXPECT_THAT(complaint(), HasSubstr("either a command or an argument list"));
  good_.command = "";
  EXPECT_EQ(complaint(), "");
  good_.argv = {};
  EXPECT_THAT(complaint(), HasSubstr("either a command or an argument list"));
}

TEST_F(CheckRequest, RefusesNulBytesEverywhere) {
  const std::string nul("a\0b", 3);
  good_.command = nul;
  EXPECT_THAT(complaint(), HasSubstr("NUL"));
  good_.command = "";
  good_.argv = {"printf", nul};
  EXPECT_THAT(complaint(), HasSubstr("NUL"));
  good_.argv = {"true"};
  good_.env = {{"A", nul}};
  EXPECT_THAT(complaint(), HasSubstr("A holds a NUL"));
  good_.env = {};
  good_.cwd = nul;
  EXPECT_THAT(complaint(), HasSubstr("cwd holds a NUL"));
}

TEST_F(CheckRequest, RefusesVariableNamesThatNoShellCouldUse) {
  for (const char* name : {"", "1A", "A-B", "A B", "A=B", "\xC3\xA4", "BASH_FUNC_x%%"}) {
    good_.env = {{name, "x"}};
    EXPECT_THAT(complaint(), HasSubstr("is not a variable name")) << name;
  }
  good_.env = {{"_a1", ""}, {"A", "=x"}};
  EXPECT_EQ(complaint(), "");
}

TEST_F(CheckRequest, KeepsTheLimitsOfLinux) {
  good_.command = std::string(1024UL * 1024, 'x');
  EXPECT_EQ(complaint(), "");
  good_.command += std::string(5000, 'x');
  EXPECT_THAT(complaint(), HasSubstr("1 MiB is the limit"));
  good_.command = "true";
  good_.env = {{"A", std::string(128UL * 1024, 'x')}};
  EXPECT_THAT(complaint(), HasSubstr("128 KiB"));
  good_.env = {};
  good_.command = "";
  good_.argv = {"echo", std::string(128UL * 1024, 'x')};
  EXPECT_THAT(complaint(), HasSubstr("128 KiB"));
}

TEST_F(CheckRequest, RefusesADirectoryThatIsNotThere) {
  good_.cwd = "missing";
  EXPECT_THAT(complaint(), HasSubstr("missing': No such file or directory"));
  scratch_.write("file", "");
  good_.cwd = "file";
  EXPECT_THAT(complaint(), HasSubstr("is not a directory"));
}

TEST(PlanCommand, GivesAShellLineToAShell) {
  const RunRecord record("/state/runs/r-x");
  const auto plan = plan_command({.command = "echo hi"}, record, {"PATH=/usr/bin:/bin", "A=1"});
  ASSERT_EQ(plan.argv.size(), 4U);
  EXPECT_THAT(plan.argv[0], ::testing::AnyOf("/bin/bash", "/usr/bin/bash", "/bin/sh"));
  EXPECT_EQ(plan.argv[1], "-c");
  EXPECT_EQ(plan.argv[2], "--");
  EXPECT_EQ(plan.argv[3], "echo hi");
  EXPECT_THAT(plan.environment, Contains("A=1"));
  EXPECT_THAT(plan.environment, Contains("YONDER_RUN_ID=r-x"));
}

TEST(PlanCommand, ReplacesInheritedVariablesAndAddsASingleEntryForEach) {
  const RunRecord record("/state/runs/r-x");
  const auto plan = plan_command({.argv = {"env"}, .env = {{"A", "new"}, {"B", "2"}}}, record,
                                 {"A=old", "AB=kept", "YONDER_RUN_ID=r-outer", "SHLVL=3", "ODD"});
  EXPECT_THAT(plan.environment,
              ::testing::UnorderedElementsAre("AB=kept", "SHLVL=3", "ODD", "A=new", "B=2",
                                              "YONDER_RUN_ID=r-x"));
}

TEST(PlanCommand, CannotBeTalkedOutOfItsMark) {
  const auto plan = plan_command({.argv = {"env"}, .env = {{"YONDER_RUN_ID", "r-other"}}},
                                 RunRecord("/state/runs/r-x"), {});
  EXPECT_THAT(plan.environment, Contains("YONDER_RUN_ID=r-x"));
  EXPECT_THAT(plan.environment, Not(Contains("YONDER_RUN_ID=r-other")));
}

TEST(PlanCommand, SetsAShellLevelSoThatBashDoesNotTakeItForALogin) {
  const RunRecord record("/state/runs/r-x");
  for (const char* level : {"A=no level", "SHLVL=0", "SHLVL="}) {
    const auto plan = plan_command({.argv = {"env"}}, record, {"SSH_CLIENT=1", level});
    EXPECT_THAT(plan.environment, Contains("SHLVL=1")) << level;
  }
  const auto inner = plan_command({.argv = {"env"}}, record, {"SSH_CLIENT=1", "SHLVL=2"});
  EXPECT_THAT(inner.environment, Contains("SHLVL=2"));
}

TEST(PlanCommand, MakesPythonPrintIntoALogAtOnceUnlessTheUserSaysOtherwise) {
  const RunRecord record("/state/runs/r-x");
  const wire::StartRequest run{.argv = {"env"}, .background = true};
  EXPECT_THAT(plan_command(run, record, {}).environment, Contains("PYTHONUNBUFFERED=1"));
  wire::StartRequest own = run;
  own.env = {{"PYTHONUNBUFFERED", ""}};
  EXPECT_THAT(plan_command(own, record, {}).environment, Contains("PYTHONUNBUFFERED="));
  const auto machines = plan_command(run, record, {"PYTHONUNBUFFERED="}).environment;
  EXPECT_THAT(machines, Contains("PYTHONUNBUFFERED="));
  EXPECT_THAT(machines, Not(Contains("PYTHONUNBUFFERED=1")));
  EXPECT_THAT(plan_command({.argv = {"env"}}, record, {}).environment,
              Not(Contains("PYTHONUNBUFFERED=1")))
      << "what is waited for gets the environment as it is";
}

TEST(PlanCommand, LetsTheShellReadALongCommandFromItsFile) {
  const auto plan = plan_command({.command = std::string(kMaxArgument + 1, 'x')},
                                 RunRecord("/state/runs/r-x"), {"PATH=/bin"});
  ASSERT_EQ(plan.argv.size(), 2U);
  EXPECT_EQ(plan.argv[1], "/state/runs/r-x/command");
}

TEST(PlanLogin, MakesEveryShellALoginShell) {
  const RunRecord record("/state dir/runs/r-x");
  const std::string line = "exec /proc/1/exe enter '/state dir/runs/r-x'";
  EXPECT_THAT(plan_login(record, "/bin/dash", "/proc/1/exe", {}).argv,
              ElementsAre("-dash", "-c", line));
  EXPECT_THAT(plan_login(record, "/bin/tcsh", "/proc/1/exe", {}).argv,
              ElementsAre("-tcsh", "-c", line));
  for (const std::string name : {"bash", "zsh", "fish"}) {
    const auto plan = plan_login(record, "/usr/bin/" + name, "/proc/1/exe", {"A=1"});
    EXPECT_EQ(plan.program, "/usr/bin/" + name);
    EXPECT_THAT(plan.argv, ElementsAre("-" + name, "-i", "-c", line));
    EXPECT_THAT(plan.environment, ElementsAre("A=1"));
  }
}

TEST(Execute, SaysWhatCouldNotBeStarted) {
  const auto error = execute({.argv = {"no\nsuch"}, .environment = {"PATH=/bin"}});
  EXPECT_THAT(error.message, StartsWith("cannot start 'no\\x0asuch': No such file"));
}

}  // namespace
}  // namespace yonder::outpost
