#include <signal.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "e2e/background_fixture.h"

// What older tools of this kind got wrong, one test each.

namespace yonder::e2e {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class JobDefects : public Background {};

TEST_F(JobDefects, J01_AnExitCodeInTheProgramsOwnOutputIsNotBelieved) {
  const Json ended = end_of(start("echo EXIT_CODE=0; kill -9 $$"));
  EXPECT_EQ(ended["state"], "signaled");
  EXPECT_EQ(ended["exit_code"], 137);
}

TEST_F(JobDefects, J02_OutputWithoutAFinalNewlineLosesNoExitCode) {
  const Json started = start("printf done");
  EXPECT_EQ(end_of(started)["exit_code"], 0);
  EXPECT_EQ(log_of(started), "done\nEXIT_CODE=0\n");
}

TEST_F(JobDefects, J03_ExitUnsetVariablesAndSyntaxErrorsAreEndsLikeOthers) {
  EXPECT_EQ(end_of(start("echo x; exit 3"))["exit_code"], 3);
  EXPECT_EQ(end_of(start("set -u; echo $nope_not_set"))["state"], "exited");
  const Json broken = start("if then (");
  const Json ended = end_of(broken);
  EXPECT_EQ(ended["state"], "exited");
  EXPECT_EQ(ended["exit_code"], 2);
  EXPECT_THAT(log_of(broken), HasSubstr("syntax error"));
}

TEST_F(JobDefects, J04_TheStatusIsTheCommandsOwn) {
  EXPECT_EQ(end_of(start("false"))["exit_code"], 1);
  EXPECT_EQ(end_of(start("false | true"))["exit_code"], 0);
}

TEST_F(JobDefects, J05_ATailThatIsTooLongKeepsItsEnd) {
  const Json started = start("head -c 300000 /dev/zero | tr '\\0' x; echo; echo the very end");
  end_of(started);
  const Json seen = check_run(started, {{"max_output_chars", 1000}});
  EXPECT_THAT(seen["log_tail"].get<std::string>(), EndsWith("the very end\nEXIT_CODE=0\n"));
  EXPECT_EQ(seen["exit_code"], 0);
}

TEST_F(JobDefects, J06_ATmuxThatDoesNotAnswerIsNotTheEndOfASession) {
  tmux({"new-session", "-d", "-s", "theirs", "sleep 1000"});
  const auto pid = std::atoi(tmux({"display-message", "-p", "#{pid}"}).c_str());
  ASSERT_GT(pid, 1);
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  const Json seen = check({{"tmux_session", "theirs"}, {"sandbox_name", "local"}});
  ASSERT_EQ(::kill(pid, SIGCONT), 0);
  EXPECT_EQ(seen["running"], nullptr) << seen;
}

TEST_F(JobDefects, J07_ASessionIsFoundByItsWholeName) {
  tmux({"new-session", "-d", "-s", "train-2", "sleep 1000"});
  const auto runs = [&](const char* name) {  // nothing is known while tmux is slow to answer
    const Json seen = check({{"tmux_session", name}, {"sandbox_name", "local"}});
    return seen["running"];
  };
  EXPECT_TRUE(lab::eventually([&] { return !runs("train").is_null(); }));
  EXPECT_NE(runs("train"), true);
  EXPECT_TRUE(lab::eventually([&] { return runs("train-2") == true; }));
}

TEST_F(JobDefects, J08_SessionNamesMayHoldDotsAndColons) {
  for (const char* name : {"run.1", "a:b", "two words"}) {
    const Json started = start("sleep 1000", {{"session_name", name}});
    const Json seen = check({{"tmux_session", name}, {"sandbox_name", "local"}});
    EXPECT_EQ(seen["running"], true) << name;
    EXPECT_EQ(seen["run_id"], started["run_id"]);
    EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
  }
}

TEST_F(JobDefects, J09_ASessionNameInUseIsRefusedAndItsRunIsNotTouched) {
  const std::string directory = new_open_directory();
  const Json first = start(
      "for i in 1 2 3; do echo mine $i; done; while [ ! -e go ]; do sleep 0.05; done; "
      "echo mine end",
      {{"session_name", "one"}, {"cwd", directory}});
  const Json error =
      start_error("echo theirs; touch bad", {{"session_name", "one"}, {"cwd", directory}});
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(first["run_id"].get<std::string>()));
  ASSERT_TRUE(write_file_atomically(directory + "/go", "", Durability::Process));
  EXPECT_EQ(end_of(first)["exit_code"], 0);
  EXPECT_EQ(log_of(first), "mine 1\nmine 2\nmine 3\nmine end\nEXIT_CODE=0\n");
  EXPECT_FALSE(path_exists(directory + "/bad"));
  // Once it has ended the name is free.
  EXPECT_EQ(end_of(start("true", {{"session_name", "one"}}))["exit_code"], 0);
}

TEST_F(JobDefects, J10_NamesThatAreMadeUpNeverMeet) {
  std::set<std::string> names;
  for (int i = 0; i < 5; ++i) names.insert(start("true")["session_name"].get<std::string>());
  EXPECT_EQ(names.size(), 5U);
}

TEST_F(JobDefects, J11_AStartWhoseReplyIsLostHappensOnce) {
  auto sshd = start_sshd();
  const auto proxy = start_proxy(sshd.port());
  write_hosts({host("box", sshd, *proxy)});
  content_of(client().call("exec_bash", {{"command", "true"}, {"sandbox_name", "box"}}));
  const std::string count = new_open_directory() + "/count";
  for (const std::uint64_t bytes : {1UL, 60UL, 200UL}) {
    proxy->cut_after({.bytes = bytes, .direction = lab::Direction::Down});
    const Json started = start("echo x >> " + count + "; sleep 1000", {{"sandbox_name", "box"}});
    ASSERT_TRUE(lab::eventually([&] { return !file_text(count).empty(); }));
    EXPECT_EQ(stop(started, {{"grace_s", 0}})["gone"], true);
    EXPECT_EQ(file_text(count), "x\n") << bytes;
    std::filesystem::remove(count);
  }
}

TEST_F(JobDefects, J12_WatchParametersAreCheckedBeforeAnythingStarts) {
  const std::string file = new_open_directory() + "/ran";
  EXPECT_THAT(start_error("touch " + file, {{"auto_resume", true}})["message"].get<std::string>(),
              StartsWith("auto_resume"));
  EXPECT_THAT(start_error("touch " + file, {{"metadata_json", "{"}})["message"].get<std::string>(),
              StartsWith("metadata_json"));
  EXPECT_FALSE(path_exists(file));
}

TEST_F(JobDefects, J13_TheHandleArrivesEvenWhenThisMachineCannotWriteItDown) {
  auto sshd = start_sshd();
  write_hosts({host("box", sshd)});
  const auto blind = new_agent({"XDG_STATE_HOME=/proc/nowhere"});
  const Json started = content_of(
      blind->call("exec_bash_background",
                  {{"command", "sleep 1000"}, {"sandbox_name", "box"}, {"watch", false}}));
  EXPECT_THAT(started["run_id"].get<std::string>(), StartsWith("r-"));
  EXPECT_THAT(started["warnings"], Not(IsEmpty()));
  EXPECT_EQ(content_of(blind->call("stop_background_task",
                                   {{"run_id", started["run_id"]}, {"grace_s", 1}}))["gone"],
            true);
}

TEST_F(JobDefects, J14_AMissingDirectoryIsAnErrorAndIsNotMade) {
  const std::string missing = new_open_directory() + "/no/such";
  const Json error = start_error("pwd", {{"cwd", missing}});
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("cwd"));
  EXPECT_FALSE(path_exists(missing));
}

TEST_F(JobDefects, J15_ARelativeLogLiesWhereTheCommandRuns) {
  const std::string directory = new_open_directory();
  const Json started = start("echo x", {{"cwd", directory}, {"log_file", "logs/x.log"}});
  EXPECT_EQ(started["log_file"], directory + "/logs/x.log");
  end_of(started);
  EXPECT_EQ(file_text(directory + "/logs/x.log"), "x\nEXIT_CODE=0\n");
  EXPECT_FALSE(path_exists(lab().client_home() + "/logs"));
}

TEST_F(JobDefects, J16_NoLineOfACommandEndsItEarly) {
  const Json started = start("cat <<'EOF'\n__RSMCP_BG__\nEOF\necho 'it'\"'\"'s'\n");
  EXPECT_EQ(end_of(started)["exit_code"], 0);
  EXPECT_EQ(log_of(started), "__RSMCP_BG__\nit's\nEXIT_CODE=0\n");
}

TEST_F(JobDefects, J17_AnOldEndInAReusedLogIsNotThisRuns) {
  const std::string log = new_open_directory() + "/x.log";
  ASSERT_TRUE(write_file_atomically(log, "old\nEXIT_CODE=0\n", Durability::Process));
  const Json started = start("echo new; sleep 1000", {{"log_file", log}});
  const Json seen = check_run(started, {{"offset", 0}, {"wait_s", 600}});
  EXPECT_EQ(seen["state"], "running");
  EXPECT_EQ(seen["exit_code"], nullptr);
  EXPECT_EQ(check_run(started)["log_tail"], "new\n");
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
}

TEST_F(JobDefects, J18_RunsCanBeListedWaitedForReadAndStopped) {
  const Json started = start("echo line; sleep 1000", {{"description", "d"}});
  const Json seen = check_run(started, {{"offset", 0}, {"wait_s", 600}});
  EXPECT_EQ(seen["log_tail"], "line\n");
  const Json list = content_of(client().call("list_background_tasks", Json::object()));
  EXPECT_THAT(dump_json(list), HasSubstr(started["run_id"].get<std::string>()));
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["state"], "stopped");
}

TEST_F(JobDefects, J19_TmuxIsNotNeeded) {
  auto sshd = start_sshd({.hide_programs = {"tmux", "systemd-run"}});
  write_hosts({host("bare", sshd)});
  const Json started = start("echo here; sleep 1000", {{"sandbox_name", "bare"}});
  EXPECT_EQ(started["launcher"], "session");
  const Json seen = check_run(started, {{"offset", 0}, {"wait_s", 600}});
  EXPECT_EQ(seen["log_tail"], "here\n");
  EXPECT_EQ(seen["tmux_session"], nullptr);
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
}

TEST_F(JobDefects, J20_NothingOfARunIsLeftInTheUsersOwnDirectories) {
  const std::string directory = new_open_directory();
  const Json started = start("echo x", {{"cwd", directory}});
  end_of(started);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  EXPECT_THAT(started["log_file"].get<std::string>(), StartsWith(record_of(started)));
}

class ExecDefects : public Background {};

TEST_F(ExecDefects, E21_NothingRunsInAnotherDirectoryThanTheOneAskedFor) {
  const std::string directory = new_open_directory() + "/with space";
  ASSERT_TRUE(make_directory(directory));
  EXPECT_EQ(bash("ls; pwd", {{"cwd", directory}})["stdout"], directory + "\n");
  EXPECT_EQ(bash_error("ls; pwd", {{"cwd", directory + "/no"}})["code"], "invalid_argument");
}

TEST_F(ExecDefects, E22_ACommandThatReadsItsInputSeesItsEnd) {
  EXPECT_EQ(bash("cat; echo end")["stdout"], "end\n");
}

TEST_F(ExecDefects, E23_NothingOutlivesTheTimeLimit) {
  const std::string marker = new_marker();
  const Json done = bash("trap '' TERM; setsid sleep 1000 & while true; do sleep 1000; done",
                         {{"timeout_s", 0.3}, {"env", {{"E2E_MARK", marker}}}});
  EXPECT_EQ(done["timed_out"], true);
  EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching(marker).empty(); }));
}

TEST_F(ExecDefects, E24_AnExitCodeOf124IsNoTimeOut) {
  const Json done = bash("exit 124");
  EXPECT_EQ(done["exit_code"], 124);
  EXPECT_EQ(done["timed_out"], false);
}

TEST_F(ExecDefects, E25_LongOutputIsCountedWithoutBeingKept) {
  const Json done = bash("head -c 1000000000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(done["stdout_bytes"], 1000000000);
  EXPECT_LT(peak_memory(agent().pid()), enough_memory());
}

TEST_F(ExecDefects, E26_BothEndsOfALongOutputAreKept) {
  const Json done = bash("echo first; seq 1 100000; echo last", {{"max_output_chars", 1000}});
  EXPECT_THAT(done["stdout"].get<std::string>(), StartsWith("first\n"));
  EXPECT_THAT(done["stdout"].get<std::string>(), EndsWith("last\n"));
  EXPECT_EQ(done["truncated"], true);
}

TEST_F(ExecDefects, E27_NeitherBashNorTimeoutIsNeeded) {
  auto sshd = start_sshd({.hide_programs = {"timeout", "bash", "python3*"}});
  write_hosts({host("plain", sshd, "nobash")});
  const Json done =
      bash("cat; echo $WORD",
           {{"sandbox_name", "plain"}, {"env", {{"WORD", "x y"}}}, {"stdin", "in\n"}});
  EXPECT_EQ(done["stdout"], "in\nx y\n");
}

TEST_F(ExecDefects, E28_AFailureIsMarkedAsOne) {
  EXPECT_TRUE(agent().call("exec_bash", {{"command", ""}}).is_error);
  EXPECT_FALSE(agent().call("exec_bash", exec_arguments("false")).is_error);
}

}  // namespace
}  // namespace yonder::e2e
