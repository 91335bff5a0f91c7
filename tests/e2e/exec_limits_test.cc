#include <signal.h>

#include "base/file.h"
#include "e2e/fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A command that marks itself and everything it starts.
class ExecLimits : public EndToEnd {
 protected:
  const std::string marker_ = new_marker();

  Json marked(const Json& more = Json::object()) const {
    Json arguments{{"env", {{"E2E_MARK", marker_}}}};
    arguments.update(more);
    return arguments;
  }
  std::vector<pid_t> alive() const { return lab::processes_matching(marker_); }
  bool is_gone() const {
    return lab::eventually([&] { return alive().empty(); });
  }
};

struct Tree {
  const char* name;
  const char* command;
};

class ExecTimeout : public ExecLimits, public ::testing::WithParamInterface<Tree> {};

TEST_P(ExecTimeout, StopsTheWholeTree) {
  Json done;
  // A limit that comes before the command's first word shows nothing: then it gets more time.
  for (double limit = 0.5; done["stdout"] != "begun\n"; limit *= 2) {
    ASSERT_LT(limit, 100) << done;
    done = bash(GetParam().command, marked({{"timeout_s", limit}}));
    EXPECT_EQ(done["timed_out"], true);
    EXPECT_EQ(done["state"], "timed_out");
    EXPECT_EQ(done["exit_code"], 124);
    EXPECT_THAT(done["left_running"], IsEmpty());
    EXPECT_TRUE(is_gone());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, ExecTimeout,
    ::testing::Values(
        Tree{"ACommand", "echo begun; exec sleep 1000"},
        Tree{"AChild", "echo begun; sleep 1000; true"},
        Tree{"APipeline", "echo begun; sleep 1000 | cat | cat; true"},
        Tree{"OneThatIgnoresTerm", "trap '' TERM; echo begun; while true; do sleep 1000; done"},
        Tree{"AChildInASessionOfItsOwn", "echo begun; setsid sleep 1000; sleep 1000"},
        Tree{"ADaemon", "echo begun; (setsid sh -c 'sleep 1000 & sleep 1000' &) ; sleep 1000"},
        Tree{"AnOrphanWithoutEnvironment",
             "echo begun; (setsid env -i sleep 1000.25 &) ; sleep 1000"},
        Tree{"ABackgroundJobThatHoldsTheOutput", "echo begun; sleep 1000 & wait"},
        Tree{"AStoppedChild", "echo begun; sh -c 'kill -STOP $$' ; sleep 1000"}),
    [](const auto& param) { return param.param.name; });

TEST_F(ExecLimits, LeaveACommandAloneThatReturnsInTime) {
  const Json done = bash("sleep 0.2; echo done", {{"timeout_s", 20}});
  EXPECT_EQ(done["stdout"], "done\n");
  EXPECT_EQ(done["timed_out"], false);
}

class ExecBackground : public ExecLimits, public ::testing::WithParamInterface<Tree> {};

TEST_P(ExecBackground, ReturnsAtOnceAndNamesWhatStillRuns) {
  const Json done = bash(GetParam().command, marked());  // what it leaves does not end
  EXPECT_EQ(done["stdout"], "started\n");
  EXPECT_EQ(done["exit_code"], 0);
  EXPECT_EQ(done["state"], "exited");
  ASSERT_THAT(done["left_running"], SizeIs(1)) << done;
  const auto pid = done["left_running"][0]["pid"].get<pid_t>();
  EXPECT_THAT(done["left_running"][0]["command"].get<std::string>(),
              ::testing::HasSubstr("sleep 1000"));
  EXPECT_TRUE(lab::is_alive(pid));
  EXPECT_THAT(lab::kill_and_wait({pid}), IsEmpty());
  EXPECT_TRUE(is_gone());
}

INSTANTIATE_TEST_SUITE_P(
    Of, ExecBackground,
    ::testing::Values(Tree{"AJob", "sleep 1000 & echo started"},
                      Tree{"AJobOfNohup", "nohup sleep 1000 >/dev/null 2>&1 & echo started"},
                      Tree{"ADaemon",
                           "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo started"}),
    [](const auto& param) { return param.param.name; });

TEST_F(ExecLimits, ReturnTheHandleWhenTheWaitIsOver) {
  const std::string gate = new_open_directory() + "/gate";
  Json early = bash(concat("echo first; ", until(gate), "echo last; exit 7"),
                    {{"wait_s", 0.5}, {"timeout_s", 3600}});
  // How far it has come by then is up to the machine.
  ASSERT_TRUE(lab::eventually([&] {
    if (early["state"] == "running" && early["stdout"] == "first\n") return true;
    early = bash("", {{"run_id", early["run_id"]}, {"wait_s", 0.5}});
    return false;
  })) << early;
  EXPECT_EQ(early["running"], true);
  EXPECT_TRUE(early["exit_code"].is_null());
  const int waiting = agent().call_async("exec_bash", Json{{"run_id", early["run_id"]}});
  ASSERT_TRUE(write_file_atomically(gate, "", Durability::Process));
  const Json done = result_of(waiting);
  EXPECT_EQ(done["stdout"], "first\nlast\n");
  EXPECT_EQ(done["exit_code"], 7);
  EXPECT_EQ(done["state"], "exited");
  EXPECT_EQ(done["run_id"], early["run_id"]);
  EXPECT_EQ(done["sandbox"], "local");
}

TEST_F(ExecLimits, HoldAlsoAfterTheCallHasReturned) {
  const Json early = bash("sleep 1000", marked({{"wait_s", 0}, {"timeout_s", 1}}));
  const Json done = bash("", {{"run_id", early["run_id"]}});
  EXPECT_EQ(done["timed_out"], true);
  EXPECT_TRUE(is_gone());
}

TEST_F(ExecLimits, UnknownRunsAreSaidToBeUnknown) {
  EXPECT_EQ(bash_error("", {{"run_id", "r-aaaaaaaaaaaaaaaa"}})["code"], "not_found");
  EXPECT_EQ(bash_error("", {{"run_id", "../../etc"}})["code"], "invalid_argument");
  EXPECT_EQ(bash_error("true", {{"run_id", "r-aaaaaaaaaaaaaaaa"}})["code"], "invalid_argument");
}

TEST_F(ExecLimits, CancellationStopsTheTreeAndIsNotAnswered) {
  const int id = agent().call_async(
      "exec_bash",
      exec_arguments("trap '' TERM; sleep 1000 & setsid sleep 1000 & (sleep 1000 &) ; wait",
                     marked()));
  ASSERT_TRUE(lab::eventually([&] { return alive().size() >= 4; }));
  agent().cancel(id);
  EXPECT_TRUE(is_gone());
  ASSERT_TRUE(agent().answers());
  EXPECT_FALSE(agent().has_reply(id));
}

TEST_F(ExecLimits, AKeyMakesTheSecondCallJoinTheFirst) {
  const std::string count = new_open_directory() + "/count";
  const std::string command = concat("echo x >>", count, "; sleep 0.5; echo done");
  const Json more{{"key", new_marker()}};
  const int first = agent().call_async("exec_bash", exec_arguments(command, more));
  const int second = agent().call_async("exec_bash", exec_arguments(command, more));
  const Json one = result_of(first);
  const Json two = result_of(second);
  EXPECT_EQ(one["run_id"], two["run_id"]);
  EXPECT_NE(one["attached"], two["attached"]);
  EXPECT_EQ(one["stdout"], "done\n");
  EXPECT_EQ(two["stdout"], "done\n");
  const Json later = bash(command, more);
  EXPECT_EQ(later["run_id"], one["run_id"]);
  EXPECT_EQ(later["attached"], true);
  EXPECT_EQ(later["stdout"], "done\n");
  EXPECT_EQ(file_text(count), "x\n");
}

TEST_F(ExecLimits, AKeyWithADifferentRequestIsAnErrorThatNamesWhatDiffers) {
  const std::string command = "echo $WHO";
  const Json key = new_marker();
  EXPECT_EQ(bash(command, {{"key", key}, {"env", {{"WHO", "me"}}}})["stdout"], "me\n");
  const Json error = bash_error(command, {{"key", key}, {"env", {{"WHO", "you"}}}, {"cwd", "/"}});
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(error["message"].get<std::string>(), ::testing::HasSubstr("another cwd, env"));
}

TEST_F(ExecLimits, ACrashOfTheServerDoesNotHurtTheCommand) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  const std::string directory = new_open_directory();
  for (const char* sandbox : {"local", "box"}) {
    const std::string proof = concat(directory, "/", sandbox);
    auto crashing = new_agent();
    const Json early = content_of(crashing->call(
        "exec_bash", exec_arguments(concat("echo first; ", until(proof + ".go"), "echo x >>", proof,
                                           "; echo last; exit 5"),
                                    {{"sandbox_name", sandbox}, {"wait_s", 0}})));
    const int waiting = crashing->call_async("exec_bash", {{"run_id", early["run_id"]}});
    ASSERT_TRUE(crashing->answers());
    EXPECT_FALSE(crashing->has_reply(waiting));
    crashing->crash();
    ASSERT_TRUE(write_file_atomically(proof + ".go", "", Durability::Process));
    const Json done = bash("", {{"run_id", early["run_id"]}, {"sandbox_name", sandbox}});
    EXPECT_EQ(done["stdout"], "first\nlast\n");
    EXPECT_EQ(done["exit_code"], 5);
    EXPECT_EQ(file_text(proof), "x\n");
  }
}

TEST_F(ExecLimits, AnAgentThatLeavesDoesNotStopTheCommand) {
  const std::string proof = new_open_directory() + "/done";
  auto leaving = new_agent();
  leaving->call_async("exec_bash",
                      exec_arguments(concat(until(proof + ".go"), "echo x >", proof), marked()));
  ASSERT_TRUE(lab::eventually([&] { return !alive().empty(); }));
  const auto status = leaving->close();
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->success());
  ASSERT_TRUE(write_file_atomically(proof + ".go", "", Durability::Process));
  EXPECT_TRUE(lab::eventually([&] { return file_text(proof) == "x\n"; }));
}

TEST_F(ExecLimits, FiftyCallsShareOneLink) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  bash("true", {{"sandbox_name", "box"}});
  std::vector<int> calls;
  for (int i = 0; i < 50; ++i) {
    calls.push_back(agent().call_async(
        "exec_bash",
        exec_arguments(concat("sleep 0.3; echo ", i, "; exit ", i), {{"sandbox_name", "box"}})));
  }
  for (int i = 0; i < 50; ++i) {
    const Json done = result_of(calls[static_cast<std::size_t>(i)]);
    EXPECT_EQ(done["stdout"], concat(i, "\n"));
    EXPECT_EQ(done["exit_code"], i);
  }
  EXPECT_EQ(sshd.sessions(), 1u);
}

}  // namespace
}  // namespace yonder::e2e
