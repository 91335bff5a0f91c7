#include "cli/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/find_runs.h"
#include "cli/logs_plan.h"
#include "cli/outcome.h"
#include "cli/own_variables.h"
#include "cli/run_words.h"

namespace yonder::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ops::BackgroundResponse started() {
  ops::BackgroundResponse response;
  response.sandbox = "gpu1";
  response.run_id = RunId("r-abcdefghijklmnop");
  response.status.state = RunState::Running;
  response.session_name = "nightly";
  response.log_file = "/home/me/log";
  return response;
}

TEST(RunReport, IsTheIdAloneOnStdout) {
  const Report report = run_report(started());
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(report.out, "r-abcdefghijklmnop\n");
  EXPECT_THAT(report.messages, IsEmpty());
}

TEST(RunReport, TellsPeopleWhatToDoNext) {
  auto response = started();
  EXPECT_THAT(run_report(response).notes,
              ElementsAre("started on gpu1, session nightly, log /home/me/log",
                          HasSubstr("yonder logs -f r-abcdefghijklmnop"),
                          HasSubstr("yonder wait r-abcdefghijklmnop"),
                          HasSubstr("yonder stop r-abcdefghijklmnop")));
  response.tmux_session = "nightly";
  EXPECT_THAT(run_report(response).notes, Contains(HasSubstr("yonder attach r-abcdefghij")));
}

TEST(RunReport, SaysThatAKeyFoundAnEarlierRun) {
  auto response = started();
  response.launch_recovered = true;
  response.status.state = RunState::Exited;
  response.status.exit_code = 3;
  const Report report = run_report(response);
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(report.notes[0], HasSubstr("started before, on gpu1"));
  EXPECT_THAT(report.notes[0], HasSubstr("it exited with 3"));
}

TEST(RunReport, TellsAQuickEndAsWhatItIs) {
  auto response = started();
  response.status.state = RunState::Exited;
  response.status.exit_code = 1;
  response.tmux_session = "nightly";
  const Report report = run_report(response);
  EXPECT_EQ(report.status, 0) << "the id is good for its log";
  EXPECT_THAT(report.notes,
              ElementsAre("it has ended already, on gpu1: it exited with 1, session nightly, log "
                          "/home/me/log",
                          "what it printed:  yonder logs r-abcdefghijklmnop"));
}

TEST(RunReport, FailsWhenTheProgramDoesNotExist) {
  auto response = started();
  response.status.state = RunState::Exited;
  response.status.exit_code = 127;
  const Report report = run_report(response);
  EXPECT_EQ(report.status, 127);
  EXPECT_THAT(report.messages, ElementsAre(HasSubstr("its program was not found")));
  response.launch_recovered = true;
  EXPECT_EQ(run_report(response).status, 0) << "of an earlier start";
}

TEST(RunReport, GivesTheIdOfARunThatMayHaveStarted) {
  auto response = started();
  response.connection_error = true;
  response.status.state = RunState::Unknown;
  response.warnings = {"no route to host", "ask with run_id r-abcdefghijklmnop"};
  const Report report = run_report(response);
  EXPECT_EQ(report.status, 255);
  EXPECT_EQ(report.out, "r-abcdefghijklmnop\n");
  EXPECT_THAT(report.messages,
              ElementsAre("no route to host", HasSubstr("yonder wait r-abcdefghijklmnop")));
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(LogRequest, ShowsAScreenTheEndAndAPipeEverything) {
  EXPECT_EQ(log_request({}, {}, LogReader::Terminal).lines, 50U);
  EXPECT_EQ(log_request({.follow = true}, {}, LogReader::Terminal).lines, 50U);
  EXPECT_EQ(log_request({}, {}, LogReader::Pipe).lines, 0U);
  EXPECT_EQ(log_request({.everything = true}, {}, LogReader::Terminal).lines, 0U);
  EXPECT_EQ(log_request({.lines = 7}, {}, LogReader::Pipe).lines, 7U);
  EXPECT_EQ(log_request({.grep = "x"}, {}, LogReader::Terminal).lines, 0U);
  const auto since = log_request({.offset = 9}, {.run_id = "r-a"}, LogReader::Terminal);
  EXPECT_EQ(since.offset, 9U);
  EXPECT_EQ(since.lines, 0U);
  EXPECT_EQ(since.task.run_id, "r-a");
}

TEST(CheckRequest, SaysTheSameAsOneObject) {
  EXPECT_EQ(check_request({}, {}, 9).last_n_lines, 50U);
  EXPECT_EQ(check_request({}, {}, 9).offset, std::nullopt);
  EXPECT_EQ(check_request({.lines = 7}, {}, 9).last_n_lines, 7U);
  EXPECT_EQ(check_request({.everything = true}, {}, 9).offset, 0U);
  EXPECT_EQ(check_request({.offset = 5, .grep = "x"}, {}, 9).offset, 5U);
  EXPECT_EQ(check_request({.grep = "x"}, {}, 9).offset, 0U);
  EXPECT_EQ(check_request({.lines = 3, .grep = "x"}, {}, 9).offset, std::nullopt);
}

TEST(FindRuns, TakesAFewLettersForTheNameOfASession) {
  for (const char* word : {"r-a", "r-abcdefghijklmnop", "abcd", "7f3k2q"}) {
    EXPECT_TRUE(may_be_id(word)) << word;
  }
  for (const char* word : {"", "r-", "abc", "night-ly", "Train", "run1", "r-../x"}) {
    EXPECT_FALSE(may_be_id(word)) << word;
  }
}

TEST(RunWords, AreShortAndHonest) {
  EXPECT_EQ(lasted(0.42), "0.4 s");
  EXPECT_EQ(lasted(12.9), "12 s");
  EXPECT_EQ(lasted(312), "5m12s");
  EXPECT_EQ(lasted(7500), "2h05m");
  EXPECT_EQ(lasted(3 * 86400 + 4 * 3600), "3d04h");
  EXPECT_EQ(lasted(-1), "0.0 s");
  EXPECT_EQ(age(0, 59999), "59 s");
  EXPECT_EQ(age(0, 47 * 3600 * 1000LL), "47 h");
  EXPECT_EQ(age(0, 49 * 3600 * 1000LL), "2 days");
  EXPECT_EQ(ago(0, 300000), "5 min ago");
  EXPECT_EQ(ago(1000, 0), "just now");
}

TEST(OwnVariables, AreTakenFromHereOrRefused) {
  RunRequest run;
  ASSERT_TRUE(add_own_variables({"A", "EMPTY"}, {"AB=x", "A=1=2", "EMPTY="}, run));
  EXPECT_EQ(run.env["A"], "1=2");
  EXPECT_EQ(run.env["EMPTY"], "");
  const auto refused = add_own_variables({"MISSING"}, {"A=1"}, run);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("MISSING"));
}

TEST(AskAbout, KeepsTheOrderOfTheRuns) {
  std::vector<ops::TaskRef> runs;
  for (int i = 0; i < 40; ++i) runs.push_back({.run_id = std::to_string(i)});
  const auto outcomes = ask_about<std::string>(
      runs, [](const ops::TaskRef& run) -> Result<std::string> { return run.run_id; });
  ASSERT_EQ(outcomes.size(), 40U);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].run, std::to_string(i));
    EXPECT_EQ(*outcomes[i].result, std::to_string(i));
  }
}

}  // namespace
}  // namespace yonder::cli
