#include <signal.h>

#include <filesystem>

#include "base/file.h"
#include "e2e/links_fixture.h"
#include "e2e/yonder_at_terminal.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The commands for people, each a process of its own, with a machine "box" behind the proxy.
class RunsCli : public OneLink {
 protected:
  Captured yonder(const std::vector<std::string>& arguments) {
    return run_yonder(arguments, environment());
  }
  // The id of a new run.
  std::string run(const std::string& command, const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{"run", "box", "--no-tmux"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", command});
    const Captured done = yonder(words);
    EXPECT_EQ(done.status.code, 0) << done.err;
    EXPECT_THAT(done.out, StartsWith("r-"));
    const std::string id = done.out.substr(0, done.out.find('\n'));
    runs_.push_back(id);
    return id;
  }
  void TearDown() override {
    for (const auto& id : runs_) {
      EXPECT_THAT(lab::kill_and_wait(lab::processes_matching("YONDER_RUN_ID=" + id)), IsEmpty());
    }
  }

 private:
  std::vector<std::string> runs_;
};

TEST_F(RunsCli, ARunIsStartedWaitedForReadAndForgotten) {
  const std::string id = run("echo hello; exit 3", {"--name", "first", "--description", "d"});
  EXPECT_EQ(yonder({"wait", id}).status.code, 3);
  EXPECT_EQ(yonder({"logs", id}).out, "hello\nEXIT_CODE=3\n");
  EXPECT_EQ(yonder({"logs", "--grep", "^h", id}).out, "hello\n");
  const Captured listed = yonder({"ps"});
  EXPECT_THAT(listed.out, HasSubstr(id));
  EXPECT_THAT(listed.out, HasSubstr("exited\t3"));
  EXPECT_EQ(yonder({"rm", id}).status.code, 0);
  EXPECT_EQ(yonder({"ps"}).out.find(id), std::string::npos);
  EXPECT_EQ(yonder({"logs", id}).status.code, 255);
}

TEST_F(RunsCli, AMissingProgramIsSaidToBeMissingAndNotStarted) {
  const Captured done = yonder({"run", "box", "--no-tmux", "--", "there-is-no-such-program --x"});
  EXPECT_EQ(done.status.code, 127) << done.err;
  EXPECT_THAT(done.err, HasSubstr("its program was not found"));
  EXPECT_THAT(done.err, ::testing::Not(HasSubstr("started on")));
}

TEST_F(RunsCli, AMachineThatOnlyRanCommandsSaysHowToSeeThem) {
  const lab::Sshd server = start_sshd();
  write_hosts({host("fresh", server, new_user().name)});
  EXPECT_EQ(yonder({"exec", "fresh", "--", "true"}).status.code, 0);
  const Captured listed = yonder({"ps", "fresh"});
  EXPECT_EQ(listed.out, "");
  EXPECT_THAT(listed.err, HasSubstr("yonder ps --exec shows"));
  EXPECT_THAT(yonder({"ps", "fresh", "--exec"}).out, HasSubstr("true"));
}

TEST_F(RunsCli, AnAgentMayNameARunByTheBeginningOfItsId) {
  const Json begun = bash("sleep 600; exit 3", Json{{"sandbox_name", "box"}, {"wait_s", 0}});
  const std::string id = begun["run_id"];
  const Json found = bash("", Json{{"run_id", id.substr(0, 8)}, {"wait_s", 0}});
  EXPECT_EQ(found["run_id"], id) << found.dump(2);
  EXPECT_EQ(yonder({"stop", id}).status.code, 0);
}

TEST_F(RunsCli, ShortBeginningsOfIdsAreEnough) {
  const std::string id = run("echo x");
  EXPECT_EQ(yonder({"wait", id.substr(0, 8)}).status.code, 0);
  EXPECT_EQ(yonder({"wait", id.substr(2, 8)}).status.code, 0);
  const Captured unknown = yonder({"wait", "r-zzzzzz"});
  EXPECT_EQ(unknown.status.code, 255);
  EXPECT_THAT(unknown.err, HasSubstr("zzzzzz"));
}

TEST_F(RunsCli, WaitExitsAsTheRunDid) {
  EXPECT_EQ(yonder({"wait", run("kill -9 $$")}).status.code, 137);
  EXPECT_EQ(yonder({"wait", run("sleep 1000", {"--timeout", "0.2"})}).status.code, 124);
  EXPECT_EQ(yonder({"wait", run("exit 0"), run("exit 4"), run("exit 5")}).status.code, 4);
}

TEST_F(RunsCli, LogsAreFollowedToTheEndOverACutLink) {
  const std::string directory = new_open_directory();
  const std::string id =
      run("echo one; while [ ! -e " + directory + "/go ]; do sleep 0.02; done; echo two");
  RunningYonder following({"logs", "-f", id}, environment());
  EXPECT_EQ(following.next_line(), "one");
  proxy().cut();
  ASSERT_TRUE(write_file_atomically(directory + "/go", "", Durability::Process));
  EXPECT_EQ(following.next_line(), "two");
  EXPECT_EQ(following.next_line(), "EXIT_CODE=0");
  const Captured rest = following.finish();
  EXPECT_EQ(rest.out, "");
  EXPECT_EQ(rest.status.code, 0);
}

TEST_F(RunsCli, CtrlCLeavesTheRunAlone) {
  const std::string id = run("echo up; sleep 1000");
  RunningYonder following({"logs", "-f", id}, environment());
  EXPECT_EQ(following.next_line(), "up");
  following.signal(SIGINT);
  EXPECT_EQ(following.finish().status.code, 130);
  RunningYonder waiting({"wait", id}, environment());
  following.signal(SIGINT);
  waiting.signal(SIGINT);
  EXPECT_THAT(waiting.finish().status.code, AnyOf(130, 2));
  EXPECT_THAT(yonder({"ps"}).out, HasSubstr("running"));
  EXPECT_EQ(yonder({"stop", "--grace", "1", id}).status.code, 0);
}

TEST_F(RunsCli, StopSaysWhatBecameOfEachRun) {
  const std::string lives = run("trap '' TERM; echo up; while true; do sleep 1000; done");
  const std::string ended = run("exit 6");
  yonder({"wait", ended});
  const Captured stopped = yonder({"stop", "--grace", "0.2", lives, ended});
  EXPECT_EQ(stopped.status.code, 0);
  EXPECT_THAT(stopped.out, HasSubstr(lives + ": stopped"));
  EXPECT_THAT(stopped.out, HasSubstr("exited with 6"));
  EXPECT_THAT(lab::processes_matching("YONDER_RUN_ID=" + lives), IsEmpty());
}

TEST_F(RunsCli, ALiveRunIsNotForgotten) {
  const std::string id = run("sleep 1000");
  const Captured refused = yonder({"rm", id});
  EXPECT_EQ(refused.status.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("stop"));
  EXPECT_EQ(yonder({"stop", "--grace", "1", id}).status.code, 0);
  EXPECT_EQ(yonder({"rm", id}).status.code, 0);
}

TEST_F(RunsCli, AMachineThatCannotBeReachedIsShownWithWhatWasLastSeen) {
  const std::string id = run("sleep 1000");
  EXPECT_THAT(yonder({"ps"}).out, HasSubstr("running"));
  proxy().refuse();
  proxy().cut();
  const Captured listed = yonder({"ps", "--json"});
  EXPECT_EQ(listed.status.code, 0);
  const Json list = Json::parse(listed.out);
  int seen = 0;
  for (const auto& task : list["tasks"]) {
    if (task["run_id"] != id) continue;
    ++seen;
    EXPECT_EQ(task["state"], "unknown");
    EXPECT_EQ(task["last_state"], "running");
  }
  EXPECT_EQ(seen, 1);
  proxy().accept();
  EXPECT_EQ(yonder({"stop", "--grace", "1", id}).status.code, 0);
}

TEST_F(RunsCli, AStopOfAStoppedRunSaysThatItHadBeenStopped) {
  const std::string id = run("sleep 1000");
  EXPECT_EQ(yonder({"stop", "--grace", "1", id}).out, id + ": stopped\n");
  const Captured again = yonder({"stop", id});
  EXPECT_EQ(again.status.code, 0);
  EXPECT_EQ(again.out, id + ": had already been stopped\n");
}

TEST_F(RunsCli, TheDatabaseIsMadeAnewByAScan) {
  const std::string id = run("sleep 1000", {"--name", "kept"});
  const std::string state = lab().client_home() + "/.local/state/yonder/";
  for (const char* name : {"yonder.db", "yonder.db-wal", "yonder.db-shm"}) {
    std::filesystem::remove(state + name);
  }
  EXPECT_EQ(yonder({"ps", "box", "--scan"}).status.code, 0);
  EXPECT_EQ(yonder({"stop", "--grace", "1", id.substr(0, 9)}).status.code, 0);
}

TEST_F(RunsCli, ADamagedDatabaseIsNamedAndHarmsNoRun) {
  const std::string id = run("sleep 1000");
  const std::string database = lab().client_home() + "/.local/state/yonder/yonder.db";
  for (const char* more : {"-wal", "-shm"}) std::filesystem::remove(database + more);
  ASSERT_TRUE(write_file_atomically(database, std::string(8192, 'x'), Durability::Process));
  const Captured second = yonder({"run", "box", "--no-tmux", "--", "true"});
  EXPECT_EQ(second.status.code, 0);
  EXPECT_THAT(second.out, StartsWith("r-"));
  EXPECT_THAT(second.err, HasSubstr("yonder.db"));
  EXPECT_EQ(yonder({"stop", "--grace", "1", id, "--sandbox", "box"}).status.code, 0);
  std::filesystem::remove(database);
}

TEST_F(RunsCli, RunsSurviveTheirSshServer) {
  const std::string directory = new_open_directory();
  const std::string id =
      run("echo up; while [ ! -e " + directory + "/go ]; do sleep 0.02; done; exit 8");
  // Everything between here and the run dies: ssh, sshd's session, the outpost.
  RunningYonder following({"logs", "-f", id}, environment());
  EXPECT_EQ(following.next_line(), "up");
  for (const auto& process : family_of(sshd().pid())) {
    if (process.name.starts_with("sshd") || process.name.starts_with("outpost")) {
      ::kill(process.pid, SIGKILL);
    }
  }
  ASSERT_TRUE(write_file_atomically(directory + "/go", "", Durability::Process));
  EXPECT_EQ(following.next_line(), "EXIT_CODE=8");
  following.finish();
  EXPECT_EQ(yonder({"wait", id}).status.code, 8);
}

}  // namespace
}  // namespace yonder::e2e
