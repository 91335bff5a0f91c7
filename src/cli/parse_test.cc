#include "cli/parse.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "cli/parsing_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ParseExec, TakesOneWordAsALineForTheShell) {
  const auto exec = parsed<ExecOptions>({"exec", "gpu1", "--", "ls | wc"});
  EXPECT_EQ(exec.sandbox, "gpu1");
  EXPECT_EQ(exec.run.command, "ls | wc");
  EXPECT_TRUE(exec.run.argv.empty());
  EXPECT_FALSE(exec.run.timeout);
  EXPECT_FALSE(exec.wait);
}

TEST(ParseExec, TakesSeveralWordsAsAProgramWithItsArguments) {
  const auto exec = parsed<ExecOptions>({"exec", "--", "printf", "%s", "--", "-n", "a b", ""});
  EXPECT_EQ(exec.sandbox, "");
  EXPECT_EQ(exec.run.command, "");
  EXPECT_THAT(exec.run.argv, ElementsAre("printf", "%s", "--", "-n", "a b", ""));
}

TEST(ParseExec, ReadsEveryOption) {
  const auto exec = parsed<ExecOptions>(
      {"exec",  "--cwd", "~/x",    "--env", "A=1=2",     "--env", "B=[x,y]\n",
       "--env", "HOME",  "gpu1",   "-n",    "--timeout", "1.5",   "--login",
       "--key", "k",     "--wait", "0",     "--json",    "-q",    "--max-output",
       "7",     "-v",    "--",     "true"});
  EXPECT_EQ(exec.run.cwd, "~/x");
  EXPECT_THAT(exec.run.env, ElementsAre(Pair("A", "1=2"), Pair("B", "[x,y]\n")));
  EXPECT_THAT(exec.own_variables, ElementsAre("HOME"));
  EXPECT_EQ(exec.sandbox, "gpu1");
  EXPECT_EQ(exec.run.timeout, Duration(std::chrono::milliseconds(1500)));
  EXPECT_EQ(exec.wait, Duration::zero());
  EXPECT_EQ(exec.run.key, "k");
  EXPECT_EQ(exec.max_output, 7U);
  EXPECT_TRUE(exec.no_stdin && exec.run.login && exec.json && exec.quiet);
}

TEST(ParseExec, MayNameASandboxLikeACommand) {
  EXPECT_EQ(parsed<ExecOptions>({"exec", "hosts", "--", "true"}).sandbox, "hosts");
  EXPECT_EQ(parsed<ExecOptions>({"exec", "exec", "--", "true"}).sandbox, "exec");
}

TEST(ParseExec, ShowsTheRightFormWhenTheDashesAreMissing) {
  EXPECT_EQ(refusal({"exec", "gpu1", "ls", "-la", "a b"}),
            "the command must stand behind \"--\" | yonder exec gpu1 -- ls -la 'a b'");
  EXPECT_THAT(refusal({"exec"}), HasSubstr("yonder exec [NAME] -- COMMAND..."));
  EXPECT_THAT(refusal({"exec", "uptime"}), HasSubstr("yonder exec -- uptime"));
  EXPECT_THAT(refusal({"exec", "-la"}), HasSubstr("yonder exec -- -la"));
  // Even where an option of ours was hit by accident.
  EXPECT_THAT(refusal({"exec", "gpu1", "grep", "--wait"}), HasSubstr("behind \"--\""));
}

TEST(ParseExec, AttachesToARun) {
  const auto exec = parsed<ExecOptions>({"exec", "gpu1", "--attach", "r-abcdefghijklmnop"});
  ASSERT_TRUE(exec.attach);
  EXPECT_EQ(*exec.attach, "r-abcdefghijklmnop");
  EXPECT_EQ(exec.sandbox, "gpu1");
  EXPECT_EQ(parsed<ExecOptions>({"exec", "--attach", "r-ab"}).attach, "r-ab");
}

TEST(ParseExec, RefusesWhatMakesNoSense) {
  const std::vector<std::pair<Words, const char*>> lines{
      {{"exec", "--"}, "is empty"},
      {{"exec", "--", " "}, "is empty"},
      {{"exec", "", "--", "true"}, "name is empty"},
      {{"exec", "a", "b", "--", "true"}, "unexpected argument \"b\""},
      {{"exec", "--timeout", "0", "--", "true"}, "above 0"},
      {{"exec", "--timeout", "soon", "--", "true"},
       "a time such as 90, 1.5, 30m, 2h or 1h30m, not \"soon\""},
      {{"exec", "--timeout", "nan", "--", "true"}, "a time such as"},
      {{"exec", "--timeout", "1e300", "--", "true"}, "ten years"},
      {{"exec", "--wait=-1", "--", "true"}, "a time such as"},
      {{"exec", "--env", "=x", "--", "true"}, "has no name"},
      {{"exec", "--max-output", "5", "--", "true"}, "--json"},
      {{"exec", "--json", "--max-output", "-5", "--", "true"}, "takes a number"},
      {{"exec", "--attach", "non-sense"}, "not a run id"},
      {{"exec", "--attach", "r-abcdefghijklmnop", "--", "true"}, "a command"},
      {{"exec", "--attach", "r-abcdefghijklmnop", "--cwd", "x"}, "--cwd"},
  };
  for (const auto& [words, what] : lines) {
    EXPECT_THAT(refusal(words), HasSubstr(what)) << ::testing::PrintToString(words);
  }
}

TEST(Parse, ReadsEveryTimeInTheSameWay) {
  struct Case {
    const char* text;
    double seconds;
  };
  for (const auto& c : std::vector<Case>{{"90", 90},
                                         {"1.5", 1.5},
                                         {"500ms", 0.5},
                                         {"90s", 90},
                                         {"30m", 1800},
                                         {"2h", 7200},
                                         {"1.5h", 5400},
                                         {"1d", 86400},
                                         {"1h30m", 5400}}) {
    const Duration time =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(c.seconds));
    EXPECT_EQ(parsed<ExecOptions>({"exec", "--timeout", c.text, "--", "x"}).run.timeout, time);
    EXPECT_EQ(parsed<ExecOptions>({"exec", "--wait", c.text, "--", "x"}).wait, time);
    EXPECT_EQ(parsed<RunOptions>({"run", "--timeout", c.text, "--", "x"}).run.timeout, time);
    EXPECT_EQ(parsed<RunOptions>(
                  {"run", "--gpus", "1", "--when", "free", "--max-wait", c.text, "--", "x"})
                  .run.gpu_queue_limit,
              time);
    EXPECT_EQ(parsed<StopOptions>({"stop", "r-a", "--grace", c.text}).grace, time);
    EXPECT_EQ(parsed<GitSyncOptions>({"git-sync", "x", "--timeout", c.text}).request.timeout, time);
    EXPECT_EQ(parsed<GpusOptions>({"gpus", "--wait", c.text}).wait, time);
    EXPECT_EQ(parsed<TopOptions>({"top", "--interval", c.text}).interval, time);
  }
  for (const char* wrong : {"h", "2 h", "2x", "1m30", "-1", "1h-1m", "inf", "0x10", "1hm"}) {
    EXPECT_THAT(refusal({"exec", concat("--timeout=", wrong), "--", "x"}),
                ::testing::Not(HasSubstr("(accepted)")))
        << wrong;
  }
}

TEST(Parse, NamesWhatOtherProgramsCallOtherwise) {
  EXPECT_THAT(refusal({"upload", "a", "b"}), HasSubstr("did you mean push?"));
  EXPECT_THAT(refusal({"kill", "r-a"}), HasSubstr("did you mean stop?"));
  EXPECT_THAT(refusal({"jobs"}), HasSubstr("did you mean ps?"));
  EXPECT_THAT(refusal({"tail", "-f", "r-a"}), HasSubstr("did you mean logs?"));
  EXPECT_THAT(refusal({"exec", "--workdir", "x", "--", "true"}), HasSubstr("did you mean --cwd?"));
}

TEST(Parse, NamesTheNearestCommandOrOption) {
  EXPECT_EQ(refusal({"exce", "--", "ls"}), "there is no command \"exce\" | did you mean exec?");
  EXPECT_THAT(refusal({"hosts", "--chek"}), HasSubstr("did you mean --check?"));
  EXPECT_THAT(refusal({"exec", "--tiemout=3", "--", "ls"}), HasSubstr("did you mean --timeout?"));
  EXPECT_THAT(refusal({"--zzz"}), HasSubstr("`yonder --help`"));
  EXPECT_THAT(refusal({"help", "hots"}), HasSubstr("did you mean hosts?"));
  // What only scripts use is not offered.
  EXPECT_THAT(refusal({"hosts", "--nmes"}), ::testing::Not(HasSubstr("--names")));
}

TEST(Parse, KnowsThatJsonIsWantedAlsoOfWhatItCannotUnderstand) {
  EXPECT_TRUE(wants_json({"exec", "--json", "--timout", "1", "--", "true"}));
  EXPECT_TRUE(wants_json({"nonsense", "--json"}));
  EXPECT_FALSE(wants_json({"exec", "--", "yonder", "--json"}));
  EXPECT_FALSE(wants_json({}));
}

TEST(Parse, GivesHelpAndVersionWithoutDoingAnything) {
  EXPECT_THAT(parsed<HelpOptions>({}).text, HasSubstr("First steps"));
  EXPECT_THAT(parsed<HelpOptions>({"--help"}).text, HasSubstr("Exit status"));
  EXPECT_THAT(parsed<HelpOptions>({"help"}).text, HasSubstr("Environment"));
  for (const Words& words : {Words{"exec", "-h"}, Words{"help", "exec"}}) {
    EXPECT_THAT(parsed<HelpOptions>(words).text, HasSubstr("[NAME] [options] -- COMMAND"));
    EXPECT_THAT(parsed<HelpOptions>(words).text, HasSubstr("75"));
  }
  EXPECT_FALSE(parsed<VersionOptions>({"--version"}).json);
  EXPECT_TRUE(parsed<VersionOptions>({"--version", "--json"}).json);
}

TEST(Parse, HelpSpeaksOfEveryCommand) {
  const std::string help = parsed<HelpOptions>({"--help"}).text;
  for (const auto& command : command_shapes()) EXPECT_THAT(help, HasSubstr("\n  " + command.name));
}

TEST(Parse, AloneItShowsWhatFitsASmallScreen) {
  const std::string help = parsed<HelpOptions>({}).text;
  const auto lines = split(help, '\n');
  EXPECT_LE(lines.size(), 24U) << "with the prompt that follows";
  for (const auto& line : lines) EXPECT_LE(line.size(), 80U) << line;
  for (const auto& command : command_shapes()) EXPECT_THAT(help, HasSubstr(command.name));
}

TEST(Parse, ReadsTheOtherCommands) {
  EXPECT_TRUE(parsed<HostsOptions>({"hosts", "--check"}).check);
  EXPECT_TRUE(parsed<HostsOptions>({"hosts", "--names"}).names);
  EXPECT_EQ(parsed<HostsOptions>({"hosts", "--resources", "--wait", "1.5"}).wait,
            std::chrono::milliseconds(1500));
  EXPECT_EQ(parsed<GpusOptions>({"gpus", "--wait", "3"}).wait, std::chrono::seconds(3));
  EXPECT_EQ(parsed<PsOptions>({"ps", "--wait", "3"}).wait, std::chrono::seconds(3));
  EXPECT_EQ(parsed<DoctorOptions>({"doctor", "--wait", "3"}).wait, std::chrono::seconds(3));
  EXPECT_EQ(parsed<TopOptions>({"top", "--once", "--wait", "3"}).wait, std::chrono::seconds(3));
  EXPECT_FALSE(parse_command_line({"top", "--wait", "3"})) << "it shows what comes when it comes";
  EXPECT_THAT(refusal({"hosts", "--wait", "3"}), HasSubstr("--resources"));
  EXPECT_EQ(parsed<DoctorOptions>({"doctor"}).sandbox, std::nullopt);
  EXPECT_EQ(parsed<DoctorOptions>({"doctor", "gpu1", "--json"}).sandbox, "gpu1");
  EXPECT_TRUE(parsed<DoctorOptions>({"doctor", "gpu1", "--forget-place"}).forget_place);
  EXPECT_THAT(refusal({"doctor", "--forget-place"}), HasSubstr("the name of a sandbox"));
  EXPECT_EQ(parsed<LoginOptions>({"login", "gpu1"}).sandbox, "gpu1");
  EXPECT_EQ(parsed<LogoutOptions>({"logout", "gpu1"}).sandbox, "gpu1");
  EXPECT_THAT(parsed<McpOptions>({"mcp", "--toolsets", "run,files"}).toolsets,
              ElementsAre("run", "files"));
  EXPECT_EQ(parsed<CompletionOptions>({"completion", "fish"}).shell, Shell::Fish);
  EXPECT_TRUE(parse_command_line({"-v", "hosts"})->verbose);
  EXPECT_TRUE(parse_command_line({"hosts", "-v"})->verbose);
}

TEST(Parse, ReadsWhatToWatch) {
  const auto plain = parsed<TopOptions>({"top"});
  EXPECT_EQ(plain.interval, Duration(std::chrono::seconds(2)));
  EXPECT_FALSE(plain.once);
  const auto top =
      parsed<TopOptions>({"top", "gpu1", "--interval", "0.5", "gpu2", "--once", "--json"});
  EXPECT_THAT(top.sandboxes, ElementsAre("gpu1", "gpu2"));
  EXPECT_EQ(top.interval, Duration(std::chrono::milliseconds(500)));
  EXPECT_TRUE(top.once);
  EXPECT_TRUE(top.json);
  EXPECT_THAT(refusal({"top", "--interval", "0"}), HasSubstr("--interval"));
  EXPECT_THAT(refusal({"top", "--interval", "0.01"}), HasSubstr("0.2"));
  EXPECT_THAT(refusal({"top", ""}), HasSubstr("empty"));
}

TEST(Parse, RefusesMissingAndStrayWords) {
  EXPECT_THAT(refusal({"login"}), HasSubstr("needs the name of a sandbox"));
  EXPECT_THAT(refusal({"logout", ""}), HasSubstr("name is empty"));
  EXPECT_THAT(refusal({"completion"}), HasSubstr("bash, zsh, fish"));
  EXPECT_THAT(refusal({"completion", "tcsh"}), HasSubstr("\"tcsh\""));
  EXPECT_THAT(refusal({"hosts", "--", "ls"}), HasSubstr("takes no \"--\""));
  EXPECT_THAT(refusal({"--", "ls"}), HasSubstr("yonder exec"));
  EXPECT_THAT(refusal({"exec", "x\x1b[2J", "y\x1b[2J"}), ::testing::Not(HasSubstr("\x1b")));
}

TEST(CommandShapes, ComeFromTheParser) {
  const auto shapes = command_shapes();
  const auto exec = std::find_if(shapes.begin(), shapes.end(),
                                 [](const CommandShape& shape) { return shape.name == "exec"; });
  ASSERT_NE(exec, shapes.end());
  EXPECT_EQ(exec->words, Offer::Sandboxes);
  bool timeout_takes_value = false;
  bool json_takes_value = true;
  for (const auto& option : exec->options) {
    if (option.names == Words{"--timeout"}) timeout_takes_value = option.takes_value;
    if (option.names == Words{"--json"}) json_takes_value = option.takes_value;
  }
  EXPECT_TRUE(timeout_takes_value);
  EXPECT_FALSE(json_takes_value);
}

}  // namespace
}  // namespace yonder::cli
