#include <gmock/gmock.h>

#include "cli/parsing_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ParseRun, TakesItsCommandLikeExec) {
  const auto line = parsed<RunOptions>({"run", "gpu1", "--", "make | tail"});
  EXPECT_EQ(line.sandbox, "gpu1");
  EXPECT_EQ(line.run.command, "make | tail");
  EXPECT_TRUE(line.tmux);
  const auto words = parsed<RunOptions>({"run", "--", "./train.sh", "--name", "a b"});
  EXPECT_EQ(words.sandbox, "");
  EXPECT_EQ(words.session_name, "");
  EXPECT_THAT(words.run.argv, ElementsAre("./train.sh", "--name", "a b"));
}

TEST(ParseRun, ReadsEveryOption) {
  const auto run = parsed<RunOptions>(
      {"run",           "--name",      "nightly", "gpu1",       "--cwd",  "~/x",       "--env",
       "A=1",           "--env",       "HOME",    "--log",      "/tmp/x", "--key",     "k",
       "--timeout",     "1.5",         "--login", "--launcher", "scope",  "--no-tmux", "--json",
       "--description", "the big one", "--",      "true"});
  EXPECT_EQ(run.sandbox, "gpu1");
  EXPECT_EQ(run.session_name, "nightly");
  EXPECT_EQ(run.log_file, "/tmp/x");
  EXPECT_EQ(run.description, "the big one");
  EXPECT_EQ(run.launcher, "scope");
  EXPECT_EQ(run.run.cwd, "~/x");
  EXPECT_EQ(run.run.key, "k");
  EXPECT_EQ(run.run.timeout, Duration(std::chrono::milliseconds(1500)));
  EXPECT_THAT(run.run.env, ElementsAre(Pair("A", "1")));
  EXPECT_THAT(run.own_variables, ElementsAre("HOME"));
  EXPECT_TRUE(run.run.login && run.json && !run.tmux);
}

TEST(ParseRun, RefusesWhatMakesNoSense) {
  const std::vector<std::pair<Words, const char*>> lines{
      {{"run"}, "yonder run [NAME] -- COMMAND..."},
      {{"run", "gpu1", "./train.sh", "-x"}, "yonder run gpu1 -- ./train.sh -x"},
      {{"run", "--"}, "yonder run gpu1 -- uptime"},
      {{"run", "", "--", "true"}, "name is empty"},
      {{"run", "--timeout", "0", "--", "true"}, "--timeout must be above 0"},
      {{"run", "--timeout", "1x", "--", "true"}, "a time such as"},
      {{"run", "--launcher", "cron", "--", "true"}, "scope or session"},
      {{"run", "--env", "=x", "--", "true"}, "has no name"},
      {{"run", "--wait", "3", "--", "true"}, "there is no option --wait of `yonder run`"},
  };
  for (const auto& [words, what] : lines) {
    EXPECT_THAT(refusal(words), HasSubstr(what)) << ::testing::PrintToString(words);
  }
}

TEST(ParsePs, ReadsItsOptions) {
  EXPECT_EQ(parsed<PsOptions>({"ps"}).sandbox, std::nullopt);
  const auto all = parsed<PsOptions>({"ps", "gpu1", "--all", "--exec", "--scan", "--json"});
  EXPECT_EQ(all.sandbox, "gpu1");
  EXPECT_TRUE(all.all && all.exec && all.scan && all.json);
  EXPECT_THAT(refusal({"ps", ""}), HasSubstr("name is empty"));
}

TEST(ParseLogs, ReadsItsOptions) {
  const auto plain = parsed<LogsOptions>({"logs", "r-abc"});
  EXPECT_THAT(plain.which.runs, ElementsAre("r-abc"));
  EXPECT_FALSE(plain.follow || plain.everything || plain.lines || plain.offset);
  const auto follow = parsed<LogsOptions>({"logs", "-f", "-n", "7", "--grep", "a|b", "abc"});
  EXPECT_TRUE(follow.follow);
  EXPECT_EQ(follow.lines, 7U);
  EXPECT_EQ(follow.grep, "a|b");
  EXPECT_TRUE(parsed<LogsOptions>({"logs", "--since", "all", "x"}).everything);
  EXPECT_EQ(parsed<LogsOptions>({"logs", "--since", "0", "x"}).offset, 0U);
  EXPECT_EQ(parsed<LogsOptions>({"logs", "x", "--sandbox", "gpu1"}).which.sandbox, "gpu1");
}

TEST(ParseLogs, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal({"logs"}), HasSubstr("`yonder ps` shows all"));
  EXPECT_THAT(refusal({"logs", "a", "b"}), HasSubstr("unexpected argument \"b\""));
  EXPECT_THAT(refusal({"logs", "-n", "0", "a"}), HasSubstr("above 0"));
  EXPECT_THAT(refusal({"logs", "-n", "x", "a"}), HasSubstr("--lines takes a number"));
  EXPECT_THAT(refusal({"logs", "-n", "1", "--since", "5", "a"}), HasSubstr("give one of them"));
  EXPECT_THAT(refusal({"logs", "--since", "yesterday", "a"}), HasSubstr("not \"yesterday\""));
  EXPECT_THAT(refusal({"logs", "-f", "--json", "a"}), HasSubstr("yonder wait"));
}

TEST(ParseRuns, TakesSeveralWhereThatMakesSense) {
  EXPECT_THAT(parsed<WaitOptions>({"wait", "a", "b", "--json"}).which.runs, ElementsAre("a", "b"));
  EXPECT_THAT(parsed<RmOptions>({"rm", "a", "b"}).which.runs, ElementsAre("a", "b"));
  EXPECT_THAT(parsed<AttachOptions>({"attach", "a"}).which.runs, ElementsAre("a"));
  EXPECT_THAT(refusal({"attach", "a", "b"}), HasSubstr("unexpected argument"));
}

TEST(ParseRuns, RefusesAnUnsetVariable) {
  for (const char* command : {"logs", "wait", "stop", "attach", "rm"}) {
    EXPECT_THAT(refusal({command, ""}), HasSubstr("is the variable set?")) << command;
    EXPECT_THAT(refusal({command}), HasSubstr("which run")) << command;
    EXPECT_THAT(refusal({command, "--sandbox", "", "a"}), HasSubstr("name is empty")) << command;
    EXPECT_THAT(refusal({command, "a", "--", "b"}), HasSubstr("takes no \"--\"")) << command;
  }
}

TEST(ParseStop, ReadsItsOptionsAroundTheRuns) {
  const auto stop = parsed<StopOptions>({"stop", "a", "--grace", "60", "b", "--signal", "SIGINT"});
  EXPECT_THAT(stop.which.runs, ElementsAre("a", "b"));
  EXPECT_EQ(stop.signal, 2);
  EXPECT_EQ(stop.grace, Duration(std::chrono::seconds(60)));
  EXPECT_FALSE(parsed<StopOptions>({"stop", "a"}).signal);
  EXPECT_EQ(parsed<StopOptions>({"stop", "--grace", "0", "a"}).grace, Duration::zero());
  EXPECT_THAT(refusal({"stop", "--grace", "soon", "a"}), HasSubstr("a time such as"));
  EXPECT_THAT(refusal({"stop", "--signal", "BOOM", "a"}), HasSubstr("no signal 'BOOM'"));
}

TEST(ParseStop, KnowsSignalsByNameAndNumber) {
  for (const char* text : {"TERM", "SIGTERM", "term", "15"}) {
    EXPECT_EQ(parsed<StopOptions>({"stop", "--signal", text, "a"}).signal, 15) << text;
  }
  for (const char* text : {"SIG", "0", "-9", "65", "9x", "15 ", "99999999999"}) {
    EXPECT_THAT(refusal({"stop", std::string("--signal=") + text, "a"}), HasSubstr("no signal"))
        << text;
  }
}

TEST(RunHelp, HasAnExampleAndTheExitStatusOfEachCommand) {
  for (const char* command : {"run", "ps", "logs", "wait", "stop", "attach", "rm"}) {
    const std::string help = parsed<HelpOptions>({command, "--help"}).text;
    EXPECT_THAT(help, HasSubstr(std::string("Usage: yonder ") + command)) << command;
    EXPECT_THAT(help, HasSubstr("Example")) << command;
    EXPECT_THAT(help, HasSubstr("Exit status")) << command;
    EXPECT_THAT(help, HasSubstr("--json")) << command;
  }
}

}  // namespace
}  // namespace yonder::cli
