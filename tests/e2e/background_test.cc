#include <signal.h>

#include <filesystem>
#include <functional>

#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "e2e/background_fixture.h"
#include "e2e/program.h"
#include "lab/processes.h"

namespace yonder::e2e {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(Background, RunsGoOnAfterTheCallAndTellHowTheyEnded) {
  const Json started = start("echo one; echo two >&2; exit 7");
  EXPECT_EQ(started["status"], "started");
  EXPECT_EQ(started["sandbox"], "local");
  EXPECT_EQ(started["launch_recovered"], false);
  EXPECT_THAT(started["log_file"].get<std::string>(), StartsWith("/"));
  EXPECT_THAT(started["launcher"], AnyOf(Json("scope"), Json("session")));
  EXPECT_THAT(started["warnings"], IsEmpty());
  const Json ended = end_of(started);
  EXPECT_EQ(ended["state"], "exited");
  EXPECT_EQ(ended["running"], false);
  EXPECT_EQ(ended["exit_code"], 7);
  EXPECT_EQ(ended["proof"], "exit record");
  EXPECT_GE(ended["ended_at"].get<double>(), ended["started_at"].get<double>());
  EXPECT_EQ(log_of(started), "one\ntwo\nEXIT_CODE=7\n");
}

TEST_F(Background, RunsOutliveTheirAgentAndAreFoundByTheNext) {
  const std::string go = new_open_directory() + "/go";
  const Json started = start("while [ ! -e " + go + " ]; do sleep 0.05; done; echo done");
  client().crash();
  const auto next = another_client();
  const Json list = content_of(next->call("list_background_tasks", Json::object()));
  EXPECT_THAT(dump_json(list["tasks"]), HasSubstr(started["run_id"].get<std::string>()));
  const Json arguments{{"run_id", started["run_id"]}};
  EXPECT_EQ(content_of(next->call("check_background_task", arguments))["state"], "running");
  ASSERT_TRUE(write_file_atomically(go, "", Durability::Process));
  const Json waiting{{"run_id", started["run_id"]}, {"wait_s", 600}};
  Json seen;
  ASSERT_TRUE(lab::eventually([&] {
    seen = content_of(next->call("check_background_task", waiting));
    return seen["state"] == "exited";
  }));
  EXPECT_EQ(seen["exit_code"], 0);
  EXPECT_THAT(seen["log_tail"].get<std::string>(), StartsWith("done\n"));
}

TEST_F(Background, TheSameKeyFindsTheSameRun) {
  const std::string count = new_open_directory() + "/count";
  const Json first = start("echo x >> " + count + "; sleep 1000", {{"key", "k1"}});
  const Json second = start("echo x >> " + count + "; sleep 1000", {{"key", "k1"}});
  EXPECT_EQ(second["run_id"], first["run_id"]);
  EXPECT_EQ(second["launch_recovered"], true);
  EXPECT_EQ(second["log_file"], first["log_file"]);
  ASSERT_TRUE(lab::eventually([&] { return !file_text(count).empty(); }));
  EXPECT_EQ(stop(first, {{"grace_s", 1}})["gone"], true);
  EXPECT_EQ(file_text(count), "x\n");
}

TEST_F(Background, AKeyIsForOnePieceOfWork) {
  const Json first = start("sleep 1000", {{"key", "k2"}});
  const Json error = start_error("rm -rf build; make", {{"key", "k2"}});
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(first["run_id"].get<std::string>()));
  // Nothing of the refused one haunts the lists.
  const Json list = content_of(client().call("list_background_tasks", Json::object()));
  EXPECT_EQ(dump_json(list).find("rm -rf build"), std::string::npos);
  EXPECT_EQ(stop(first, {{"grace_s", 1}})["gone"], true);
}

TEST_F(Background, AClientThatGoesAwayEndsItsWaiting) {
  const Json started = start("sleep 1000");
  const auto other = another_client();
  other->call_async("check_background_task", {{"run_id", started["run_id"]}, {"wait_s", 600}});
  ASSERT_TRUE(other->answers());
  EXPECT_TRUE(other->close().has_value());
  EXPECT_EQ(check_run(started)["state"], "running");
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
}

TEST_F(Background, ASecondStopMayBeInMoreOfAHurry) {
  const Json started = start("trap '' INT TERM; echo up; while true; do sleep 0.05; done");
  check_run(started, {{"offset", 0}, {"wait_s", 600}});
  const auto other = another_client();
  const int patient = other->call_async(
      "stop_background_task", {{"run_id", started["run_id"]}, {"signal", "INT"}, {"grace_s", 300}});
  ASSERT_TRUE(other->answers());
  EXPECT_EQ(stop(started, {{"grace_s", 0}})["gone"], true);
  EXPECT_EQ(content_of(other->wait(patient))["gone"], true);
}

TEST_F(Background, ALogThatBecomesAPipeHoldsUpNobody) {
  const std::string log = new_open_directory() + "/x.log";
  const Json started = start(
      "echo up; rm " + log + "; mkfifo " + log + "; echo swapped > " + log + ".done; sleep 1000",
      {{"log_file", log}});
  ASSERT_TRUE(lab::eventually([&] { return path_exists(log + ".done"); }));
  EXPECT_TRUE(lab::eventually([&] {  // a machine that is slow to answer is not known to run
    const Json arguments{{"run_id", started["run_id"]}, {"wait_s", 0.2}};
    return content_of(client().call("exec_bash", arguments))["state"] == "running";
  }));
  EXPECT_EQ(check_run(started)["state"], "running");
  const Json stopped = stop(started, {{"grace_s", 1}});
  EXPECT_EQ(stopped["gone"], true) << stopped;
  EXPECT_EQ(stopped["state"], "stopped");
}

TEST_F(Background, TwoClientsWithTheSameKeyAtOnceStartOneRun) {
  const std::string count = new_open_directory() + "/count";
  const auto other = another_client();
  const Json arguments{{"command", "echo x >> " + count + "; sleep 1000"},
                       {"sandbox_name", "local"},
                       {"key", "race"}};
  const int mine = client().call_async("exec_bash_background", arguments);
  const int theirs = other->call_async("exec_bash_background", arguments);
  const Json first = content_of(client().wait(mine));
  const Json second = content_of(other->wait(theirs));
  EXPECT_EQ(first["run_id"], second["run_id"]);
  EXPECT_NE(first["launch_recovered"], second["launch_recovered"]);
  ASSERT_TRUE(lab::eventually([&] { return !file_text(count).empty(); }));
  EXPECT_EQ(stop(first, {{"grace_s", 0}})["gone"], true);
  EXPECT_EQ(file_text(count), "x\n");
}

TEST_F(Background, OffsetsShowOnlyWhatIsNew) {
  const std::string directory = new_open_directory();
  const Json started = start("echo first; while [ ! -e go ]; do sleep 0.02; done; echo second",
                             {{"cwd", directory}});
  Json seen = check_run(started, {{"offset", 0}, {"wait_s", 600}});
  EXPECT_EQ(seen["log_tail"], "first\n");
  EXPECT_EQ(seen["next_offset"], 6);
  seen = check_run(started, {{"offset", seen["next_offset"]}});
  EXPECT_EQ(seen["log_tail"], "");
  ASSERT_TRUE(write_file_atomically(directory + "/go", "", Durability::Process));
  seen = check_run(started, {{"offset", seen["next_offset"]}, {"wait_s", 600}});
  EXPECT_THAT(seen["log_tail"].get<std::string>(), StartsWith("second\n"));
  EXPECT_EQ(seen["offset"], 6);
}

TEST_F(Background, WaitingReturnsWhenSomethingMatches) {
  const std::string directory = new_open_directory();
  const Json started = start(
      "for i in 1 2 3; do echo noise $i; done; while [ ! -e go ]; do sleep 0.02; done; "
      "echo loss=0.5; sleep 1000",
      {{"cwd", directory}});
  Json seen = check_run(started, {{"offset", 0}, {"wait_s", 600}});
  const int id = client().call_async("check_background_task", {{"run_id", started["run_id"]},
                                                               {"offset", seen["next_offset"]},
                                                               {"filter", "^loss="},
                                                               {"wait_s", 600}});
  ASSERT_TRUE(client().answers());
  ASSERT_TRUE(write_file_atomically(directory + "/go", "", Durability::Process));
  seen = content_of(client().wait(id));
  EXPECT_EQ(seen["log_tail"], "loss=0.5\n");
  EXPECT_EQ(seen["state"], "running");
  EXPECT_EQ(seen["matches"], 1);
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
}

TEST_F(Background, AFilterThatIsWrongIsRefusedByName) {
  const Json started = start("echo x");
  const Json error = error_of(client().call(
      "check_background_task", {{"run_id", started["run_id"]}, {"filter", "(unclosed"}}));
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("filter"));
}

TEST_F(Background, BarsAreFoldedAndRepeatsCounted) {
  const Json started = start(
      "printf 'step 1\\rstep 2\\rstep 3\\n'; for i in 1 2 3 4 5; do echo same; done; "
      "printf '\\033[31mred\\033[0m\\n'");
  const Json seen = end_of(started);
  const std::string shown = check_run(started)["log_tail"];
  EXPECT_EQ(shown, "step 3\nsame\n[the same line 4 times more]\nred\nEXIT_CODE=0\n");
  EXPECT_EQ(seen["exit_code"], 0);
  const Json raw = check_run(started, {{"offset", 0}, {"raw", true}, {"max_output_chars", 7}});
  EXPECT_EQ(raw["truncated"], true);
  EXPECT_NE(raw["log_base64"], nullptr);
}

TEST_F(Background, StopsTheWholeTreeAndSaysThatItIsGone) {
  const Json started =
      start("trap '' TERM; setsid sleep 1000 & (sleep 1000 &) ; echo up; sleep 1000");
  check_run(started, {{"offset", 0}, {"wait_s", 600}});
  const Json stopped = stop(started, {{"grace_s", 0.3}});
  EXPECT_EQ(stopped["gone"], true) << stopped;
  EXPECT_EQ(stopped["state"], "stopped");
  EXPECT_THAT(stopped["left_running"], IsEmpty());
  EXPECT_THAT(processes_of(started), IsEmpty());
}

TEST_F(Background, StoppingAnEndedRunSaysHowItEnded) {
  const Json started = start("exit 4");
  end_of(started);
  const Json stopped = stop(started);
  EXPECT_EQ(stopped["had_ended"], true);
  EXPECT_EQ(stopped["state"], "exited");
  EXPECT_EQ(stopped["exit_code"], 4);
  EXPECT_EQ(stopped["gone"], true);
}

TEST_F(Background, StopSendsTheSignalThatIsAskedFor) {
  const Json started =
      start("trap 'echo got int; exit 9' INT; echo up; while true; do sleep 0.05; done");
  check_run(started, {{"offset", 0}, {"wait_s", 600}});
  const Json stopped = stop(started, {{"signal", "INT"}, {"grace_s", 600}});
  EXPECT_EQ(stopped["gone"], true);
  EXPECT_EQ(stopped["state"], "stopped");
  EXPECT_EQ(stopped["exit_code"], 9);
  EXPECT_THAT(log_of(started), HasSubstr("got int"));
}

TEST_F(Background, TwoWhoStopTheSameRunAtOnceBothSeeItGone) {
  const Json started = start("sleep 1000");
  const auto other = another_client();
  const Json arguments{{"run_id", started["run_id"]}, {"grace_s", 2}};
  const int mine = client().call_async("stop_background_task", arguments);
  const int theirs = other->call_async("stop_background_task", arguments);
  EXPECT_EQ(content_of(client().wait(mine))["gone"], true);
  EXPECT_EQ(content_of(other->wait(theirs))["gone"], true);
}

TEST_F(Background, KeepsItsTimeLimit) {
  const Json ended = end_of(start("sleep 1000", {{"timeout_s", 0.3}}));
  EXPECT_EQ(ended["state"], "timed_out");
  EXPECT_EQ(ended["exit_code"], 124);
}

TEST_F(Background, TmuxShowsTheOutputLiveAndEndsWithTheRun) {
  const Json started = start("echo hello from here; sleep 1000", {{"session_name", "show me"}});
  Json seen;
  ASSERT_TRUE(lab::eventually([&] {
    seen = check_run(started);
    return seen["tmux_session"].is_string();
  }));
  const std::string name = seen["tmux_session"];
  EXPECT_EQ(name, "show_me");
  EXPECT_TRUE(lab::eventually([&] {
    return tmux({"capture-pane", "-p", "-t", "=" + name + ":"}).find("hello from here") !=
           std::string::npos;
  }));
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
  EXPECT_TRUE(lab::eventually([&] { return tmux({"ls"}).find(name) == std::string::npos; }));
}

TEST_F(Background, TheDeathOfTheTmuxServerIsNotTheEndOfTheRun) {
  const Json started = start("echo up; sleep 1000", {{"session_name", "t1"}});
  ASSERT_TRUE(lab::eventually([&] { return check_run(started)["tmux_session"].is_string(); }));
  const std::string pid = tmux({"display-message", "-p", "#{pid}"});
  ASSERT_EQ(::kill(std::atoi(pid.c_str()), SIGKILL), 0) << pid;
  const Json seen = check_run(started);
  EXPECT_EQ(seen["state"], "running");
  EXPECT_EQ(seen["proof"], "process");
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
}

TEST_F(Background, TheDeathOfTheSupervisorIsToldApartFromTheEndOfTheCommand) {
  const Json started = start("echo up; sleep 1000");
  check_run(started, {{"offset", 0}, {"wait_s", 600}});
  const auto supervisors =
      lab::processes_matching("outpost supervise " + started["run_id"].get<std::string>());
  ASSERT_THAT(supervisors, Not(IsEmpty()));
  EXPECT_THAT(lab::kill_and_wait({supervisors[0]}), IsEmpty());
  const Json seen = check_run(started);
  EXPECT_EQ(seen["state"], "running");
  EXPECT_EQ(seen["proof"], "process; its supervisor is gone");
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
  const Json after = check_run(started);
  EXPECT_EQ(after["state"], "lost");
  EXPECT_EQ(after["exit_code"], nullptr);
}

TEST_F(Background, ACommandThatWasKilledIsSignaled) {
  const Json started = start("echo up; exec sleep 1000");
  check_run(started, {{"offset", 0}, {"wait_s", 600}});
  const auto pids = processes_of(started);
  ASSERT_EQ(pids.size(), 1U);
  ASSERT_EQ(::kill(pids[0], SIGKILL), 0);
  const Json ended = end_of(started);
  EXPECT_EQ(ended["state"], "signaled");
  EXPECT_EQ(ended["signal"], "SIGKILL");
  EXPECT_EQ(ended["exit_code"], 137);
}

TEST_F(Background, OnAMachineWithTwoNamesIsListedByTheOneItWasStartedWith) {
  const std::string settings = lab().client_home() + "/.config/yonder";
  ASSERT_TRUE(make_directories(settings));
  ASSERT_TRUE(write_file_atomically(
      settings + "/config.toml", "[sandbox.a-twin]\nbackend = \"local\"\n", Durability::Process));
  const Json started = start("sleep 1000", {{"sandbox_name", "local"}});
  const auto next = another_client();
  const Json list = content_of(next->call("list_background_tasks", Json::object()));
  std::filesystem::remove(settings + "/config.toml");
  std::vector<std::string> names;
  for (const auto& place : list["sandboxes"]) names.push_back(place["sandbox"]);
  EXPECT_THAT(names, IsSupersetOf({"a-twin", "local"}));
  std::vector<std::string> listed;
  for (const auto& task : list["tasks"]) {
    if (task["run_id"] == started["run_id"]) listed.push_back(task["sandbox"]);
  }
  EXPECT_THAT(listed, ElementsAre("local"));
}

TEST_F(Background, RecordsThatAreDeletedGiveNoFalseState) {
  const Json started = start("echo up; sleep 1000");
  check_run(started, {{"offset", 0}, {"wait_s", 600}});
  std::filesystem::remove_all(record_of(started));
  const auto reply = client().call("check_background_task", {{"run_id", started["run_id"]}});
  ASSERT_TRUE(reply.arrived);
  EXPECT_EQ(error_of(reply)["code"], "not_found");
  // It is still there, and no list calls it ended.
  const Json list = content_of(client().call("list_background_tasks", Json::object()));
  for (const auto& task : list["tasks"]) {
    if (task["run_id"] == started["run_id"]) {
      EXPECT_EQ(task["state"], "unknown");
    }
  }
  EXPECT_THAT(processes_of(started), Not(IsEmpty()));
}

TEST_F(Background, LogsAndSessionsThatYonderDidNotStartCanBeLookedAt) {
  const std::string directory = new_open_directory();
  ASSERT_TRUE(
      write_file_atomically(directory + "/x.log", "a\nb\nEXIT_CODE=0\n", Durability::Process));
  const Json log = check({{"log_file", directory + "/x.log"}, {"sandbox_name", "local"}});
  EXPECT_EQ(log["proof"], "log");
  EXPECT_EQ(log["state"], "unknown");
  EXPECT_EQ(log["exit_code"], nullptr);
  EXPECT_EQ(log["running"], nullptr);
  EXPECT_EQ(log["log_tail"], "a\nb\nEXIT_CODE=0\n");
  tmux({"new-session", "-d", "-s", "theirs", "sleep 1000"});
  Json session;
  EXPECT_TRUE(lab::eventually([&] {  // nothing is known while tmux is slow to answer
    session = check({{"tmux_session", "theirs"}, {"sandbox_name", "local"}});
    return session["running"] == true;
  }));
  EXPECT_EQ(session["proof"], "tmux");
  EXPECT_EQ(session["run_id"], nullptr);
}

TEST_F(Background, RunsAreNotStartedWhereThereIsNoRoom) {
  const auto user = new_user();
  auto mount = lab().mount_home(user.name, "size=64k");
  ASSERT_TRUE(mount);
  auto sshd = start_sshd();
  write_hosts({host("small", sshd, user.name)});
  const std::string count = new_open_directory() + "/count";
  ASSERT_TRUE(write_file_atomically(count + ".sh", "", Durability::Process));
  // The record finds another place, or the start is refused: it is never half done.
  const auto reply = client().call("exec_bash_background",
                                   {{"command", "echo x >> " + count}, {"sandbox_name", "small"}});
  ASSERT_TRUE(reply.arrived);
  if (reply.is_error) {
    EXPECT_EQ(file_text(count), "");
  } else {
    EXPECT_TRUE(lab::eventually([&] { return file_text(count) == "x\n"; }));
  }
}

TEST_F(Background, ListsAreMadeAnewFromTheFarSidesWhenTheDatabaseIsGone) {
  const Json started = start("sleep 1000", {{"description", "long one"}});
  client().crash();
  const std::string state = lab().client_home() + "/.local/state/yonder/";
  for (const char* name : {"yonder.db", "yonder.db-wal", "yonder.db-shm"}) {
    std::filesystem::remove(state + name);
  }
  const auto next = another_client();
  const Json list = content_of(next->call("list_background_tasks", Json::object()));
  std::vector<std::string> descriptions;
  for (const auto& task : list["tasks"]) descriptions.push_back(task["description"]);
  EXPECT_THAT(descriptions, Contains("long one"));
  EXPECT_EQ(content_of(next->call("stop_background_task",
                                  {{"run_id", started["run_id"]}, {"grace_s", 1}}))["gone"],
            true);
}

// Each has a supervisor of its own; the outer one has taken the inner one in when its starter went.
class ARunInsideARun : public Background {
 protected:
  // Starts the outer run, which starts the inner one. False when it ended before it had done so.
  bool starts(const Json& more = Json::object()) {
    place_ = new_open_directory();
    const std::string inner = concat(": > ", place_, "/up; exec sleep 1000");
    Json arguments{{"cwd", place_}};
    arguments.update(more);
    outer_ = start(concat(shell_quote(yonder_program()), " run local -- ", shell_quote(inner),
                          " > id && : > begun && sleep 1000"),
                   arguments);
    bool begun = false;
    EXPECT_TRUE(lab::eventually([&] {
      const bool ended = check_run(outer_)["running"] == false;
      begun = path_exists(place_ + "/begun");
      return begun || ended;
    })) << outer_;
    if (!begun) return false;
    EXPECT_TRUE(lab::eventually([&] { return path_exists(place_ + "/up"); })) << outer_;
    const std::string id = file_text(place_ + "/id");
    inner_ = Json{{"run_id", id.substr(0, id.find('\n'))}};
    return true;
  }
  void survives(const std::function<void()>& end_of_the_outer_one) {
    const auto before = processes_of(inner_);
    ASSERT_FALSE(before.empty());
    end_of_the_outer_one();
    EXPECT_EQ(processes_of(inner_), before);
    EXPECT_THAT(lab::kill_and_wait(before), IsEmpty());
  }

  std::string place_;
  Json outer_;
  Json inner_;
};

TEST_F(ARunInsideARun, SurvivesTheStopOfTheOuterOne) {
  ASSERT_TRUE(starts());
  survives([&] { EXPECT_EQ(stop(outer_)["gone"], true); });
}

// How long it takes to start the inner one is not known: the limit grows until it is long enough.
TEST_F(ARunInsideARun, SurvivesTheTimeLimitOfTheOuterOne) {
  int limit_s = 10;
  while (!starts({{"timeout_s", limit_s}})) {
    ASSERT_EQ(check_run(outer_)["state"], "timed_out");
    limit_s *= 2;
  }
  survives([&] { EXPECT_EQ(end_of(outer_)["state"], "timed_out"); });
}

}  // namespace
}  // namespace yonder::e2e
