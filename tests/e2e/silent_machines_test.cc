// Machines that do not answer, and what they cost those who let Yonder choose.

#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SilentMachines : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    server_.emplace(start_sshd());
    line_ = start_proxy(server_->port());
    line_->stall();
    write_hosts({host("ssh-dead", *server_, *line_)});
  }
  static std::string dead(const std::string& name, unsigned connect_timeout_s) {
    return concat("[sandbox.", name,
                  "]\nhost = \"ssh-dead\"\nconnect_timeout_s = ", connect_timeout_s, "\n");
  }
  void configure_with_one_that_answers() {
    write_config_toml("active = \"here\"\n[sandbox.here]\nbackend = \"local\"\n" +
                      dead("dead", 3600));
  }
  // What `auto` made of one machine: why it was ruled out, or that it was chosen.
  static std::string fate_of(const std::string& name, const Json& answer) {
    const Json& chosen = answer["chosen"];
    if (chosen["sandbox"] == name) return "chosen";
    for (const auto& one : chosen["ruled_out"]) {
      if (one["sandbox"] == name) return one["why"];
    }
    return answer.dump(2);
  }
  Json placed() { return bash("true", Json{{"sandbox_name", "auto"}}); }
  Json placed_by_a_process() {
    const Captured done = run_yonder({"run", "auto", "--json", "--", "true"}, environment(), {});
    EXPECT_EQ(done.status.code, 0) << done.err << done.out;
    return Json::parse(done.out, nullptr, false);
  }

  std::optional<lab::Sshd> server_;
  std::unique_ptr<lab::FaultProxy> line_;
};

TEST_F(SilentMachines, AreNotWaitedForASecondTimeAndComeBackWhenTheyAnswer) {
  configure_with_one_that_answers();
  EXPECT_THAT(fate_of("dead", placed()), HasSubstr("no answer within"));
  EXPECT_THAT(fate_of("dead", placed()), HasSubstr("was not waited for"));
  line_->resume();
  EXPECT_TRUE(lab::eventually([&] {
    const std::string fate = fate_of("dead", placed());
    return fate == "chosen" || fate.starts_with("fits");
  }));
}

TEST_F(SilentMachines, AreKnownToTheNextProcessUntilOneReachesThem) {
  configure_with_one_that_answers();
  EXPECT_THAT(fate_of("dead", placed_by_a_process()), HasSubstr("no answer within"));
  EXPECT_THAT(fate_of("dead", placed_by_a_process()), HasSubstr("was not waited for"));
  line_->resume();
  const Captured reached = run_yonder({"exec", "dead", "--", "true"}, environment(), {});
  EXPECT_EQ(reached.status.code, 0) << reached.err;
  EXPECT_THAT(fate_of("dead", placed_by_a_process()), Not(HasSubstr("answer")));
}

TEST_F(SilentMachines, AreUnreachableAndWorthAnotherTryWhenThereAreNoOthers) {
  write_config_toml("active = \"one\"\n" + dead("one", 1) + dead("two", 1));
  for (int times = 0; times < 2; ++times) {
    const Json error = bash_error("true", Json{{"sandbox_name", "auto"}});
    EXPECT_EQ(error["code"], "unreachable") << error.dump(2);
    EXPECT_EQ(error["retryable"], true) << error.dump(2);
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("no machine answers"));
  }
}

// The one that stalls would be waited for beyond what any test is patient for.
TEST_F(SilentMachines, DoNotKeepAPersonFromSeeingTheOthers) {
  configure_with_one_that_answers();
  const Captured run = run_yonder({"run", "here", "--no-tmux", "--", "sleep 600"}, environment());
  ASSERT_EQ(run.status.code, 0) << run.err;
  const std::string id = run.out.substr(0, run.out.find('\n'));
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"ps"}, {"gpus"}, {"gpus", "here", "dead"}, {"top", "--once"}, {"doctor"}}) {
    const Captured list = run_yonder(words, environment());
    EXPECT_THAT(list.out + list.err, HasSubstr("no answer yet")) << join(words, " ");
  }
  Captured shown;
  EXPECT_TRUE(lab::eventually([&] {
    shown = run_yonder({"ps"}, environment());
    return shown.out.find(id) != std::string::npos &&
           shown.out.find("\there\trunning") != std::string::npos;
  })) << shown.out;
  EXPECT_THAT(shown.err, HasSubstr("dead: no answer yet ("));
  EXPECT_EQ(run_yonder({"stop", id}, environment()).status.code, 0);
}

TEST_F(SilentMachines, DoNotKeepAnAgentFromSeeingTheTasksOfTheOthers) {
  configure_with_one_that_answers();
  const std::string run = content_of(agent().call(
      "exec_bash_background", Json{{"command", "sleep 600"}, {"sandbox_name", "here"}}))["run_id"];
  Json list;
  EXPECT_TRUE(lab::eventually([&] {
    list = content_of(agent().call("list_background_tasks", Json::object()));
    return list["tasks"].dump().find("\"running\"") != std::string::npos;
  }));
  EXPECT_THAT(list["tasks"].dump(), HasSubstr(run)) << list.dump(2);
  EXPECT_THAT(list["sandboxes"].dump(), HasSubstr("no answer yet")) << list.dump(2);
  line_->resume();
  EXPECT_TRUE(lab::eventually([&] {
    const Json later = content_of(agent().call("list_background_tasks", Json{{"wait_s", 5}}));
    return later["sandboxes"].dump().find("no answer yet") == std::string::npos;
  }));
  line_->stall();
  const Json stalled = content_of(agent().call("list_background_tasks", Json::object()));
  EXPECT_THAT(stalled["sandboxes"].dump(), HasSubstr("no answer yet")) << "its link stands";
  content_of(agent().call("stop_background_task", Json{{"run_id", run}}));
}

}  // namespace
}  // namespace yonder::e2e
