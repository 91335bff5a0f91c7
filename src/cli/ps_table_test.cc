#include "cli/ps_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/ask_machines.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kNow = 1700000000000;
constexpr std::int64_t kMinute = 60000;

ops::TaskInfo task(const std::string& id, RunState state) {
  ops::TaskInfo task;
  task.sandbox = "gpu1";
  task.run_id = RunId(id);
  task.status.state = state;
  task.kind = "background";
  task.command = "./train.sh";
  task.created_ms = kNow - 5 * kMinute;
  return task;
}

ops::TaskList some_tasks() {
  auto running = task("r-aaaaaabbbbbbbbbb", RunState::Running);
  running.status.started_ms = kNow - 5 * kMinute;
  running.session_name = "nightly";
  running.description = "the big one";
  auto failed = task("r-cccccccccccccccc", RunState::Exited);
  failed.status.exit_code = 3;
  failed.status.duration_s = 0.42;
  failed.status.left_running = {{12, "sleep"}, {13, "sleep"}};
  auto unseen = task("r-dddddddddddddddd", RunState::Unknown);
  unseen.sandbox = "down";
  unseen.seen_ms = kNow - 7 * kMinute;
  unseen.last_state = "running";
  unseen.command = "make\n-j8";
  ops::SandboxTasks down{.sandbox = "down",
                         .error = Error{Errc::Unreachable, "no route\nto host", ""},
                         .seen_ms = kNow - 7 * kMinute};
  return {.tasks = {running, failed, unseen},
          .sandboxes = {{.sandbox = "gpu1", .more = true}, down},
          .warnings = {"beware"}};
}

TEST(PsTable, ShowsPeopleWhatRunsAndHowTheRestEnded) {
  EXPECT_EQ(ps_screen(some_tasks(), 200, false, kNow),
            "RUN       SANDBOX  STATE                        AGE    TIME   SESSION  COMMAND\n"
            "r-aaaaaa  gpu1     running                      5 min  5m00s  nightly  "
            "./train.sh  # the big one\n"
            "r-cccccc  gpu1     exited 3, 2 alive            5 min  0.4 s  -        ./train.sh\n"
            "r-dddddd  down     unknown (running 7 min ago)  5 min  -      -        make / -j8\n"
            "\n"
            "gpu1 has older runs; --all shows more\n"
            "down does not answer (last seen 7 min ago): no route / to host\n"
            "beware\n");
}

TEST(PsTable, FitsTheScreen) {
  auto list = some_tasks();
  list.tasks[0].command = std::string(500, 'x');
  list.sandboxes.clear();
  list.warnings.clear();
  list.tasks.resize(2);
  const std::string text = ps_screen(list, 80, false, kNow);
  EXPECT_THAT(text, HasSubstr("x…\n"));
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  EXPECT_EQ(longest, 82U);  // the ellipsis has three bytes
}

TEST(PsTable, NamesEveryState) {
  const std::vector<std::pair<RunState, const char*>> states{
      {RunState::Queued, "queued"},      {RunState::Running, "running"},
      {RunState::Exited, "exited"},      {RunState::Signaled, "SIGKILL"},
      {RunState::TimedOut, "timed out"}, {RunState::Stopped, "stopped"},
      {RunState::Lost, "lost"},          {RunState::Unknown, "unknown"}};
  for (const auto& [state, shown] : states) {
    auto one = task("r-aaaaaaaaaaaaaaaa", state);
    if (state == RunState::Signaled) one.status.signal = "SIGKILL";
    EXPECT_THAT(ps_screen({.tasks = {one}}, 80, false, kNow), HasSubstr(shown));
  }
}

TEST(PsTable, ObeysNoForeignEscapeCode) {
  auto evil = task("r-aaaaaaaaaaaaaaaa", RunState::Running);
  evil.command = "\x1b[2J";
  evil.session_name = "\x1b]0;x\x07";
  evil.description = "\x9b";
  EXPECT_THAT(ps_screen({.tasks = {evil}, .warnings = {"\x1b[2J"}}, 80, false, kNow),
              ::testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(ps_fields({.tasks = {evil}})[0][10], "\\x1b[2J");
}

TEST(PsTable, SaysSoWhenThereIsNothing) {
  EXPECT_THAT(ps_screen({}, 80, false, kNow), HasSubstr("No runs."));
  EXPECT_THAT(ps_fields({}), IsEmpty());
}

TEST(PsTable, SaysHowToSeeCommandsWhenThereIsNothingElse) {
  const ops::TaskList list{.only_foreground = 2};
  EXPECT_THAT(ps_screen(list, 80, false, kNow), HasSubstr("No background runs."));
  EXPECT_THAT(ps_notes(list, kNow), ElementsAre(HasSubstr("2 commands that were run and waited "
                                                          "for: yonder ps --exec shows them")));
}

TEST(PsTable, SaysOfASilentMachineThatItHasNotAnsweredYet) {
  const ops::TaskList list{
      .sandboxes = {{.sandbox = "gpu2", .error = ops::no_answer_yet(), .seen_ms = kNow - 180000}}};
  EXPECT_THAT(ps_notes(list, kNow),
              ElementsAre("gpu2: no answer yet (last seen 3 min ago); to wait longer: --wait 20"));
}

TEST(PsFields, AreTheSameForEachRun) {
  const auto rows = ps_fields(some_tasks());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0], ElementsAre("r-aaaaaabbbbbbbbbb", "gpu1", "running", "-", "-",
                                   "2023-11-14T22:08:20Z", "-", "nightly", "-", "-", "./train.sh"));
  EXPECT_THAT(rows[1], ElementsAre("r-cccccccccccccccc", "gpu1", "exited", "3", "-",
                                   "2023-11-14T22:08:20Z", "0.420", "-", "-", "-", "./train.sh"));
  EXPECT_THAT(rows[2],
              ElementsAre("r-dddddddddddddddd", "down", "unknown", "-", "-", "2023-11-14T22:08:20Z",
                          "-", "-", "running", "2023-11-14T22:06:20Z", "make / -j8"));
}

TEST(ShortIds, AreLongEnoughToBeUnique) {
  EXPECT_THAT(short_ids({"r-aaaaaaaabbbbbbbb", "r-zzzzzzzzzzzzzzzz", "r-aaaaaaaacbbbbbbb",
                         "r-aaaaaaabbbbbbbbb"}),
              ElementsAre("r-aaaaaaaab", "r-zzzzzz", "r-aaaaaaaac", "r-aaaaaaab"));
  EXPECT_THAT(short_ids({"r-aaaaaaaaaaaaaaaa", "r-aaaaaaaaaaaaaaaa"}),
              ElementsAre("r-aaaaaa", "r-aaaaaa"));
}

}  // namespace
}  // namespace yonder::cli
