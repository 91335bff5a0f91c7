// Another process holds the database here and never lets go.
#include <SQLiteCpp/Database.h>

#include "base/file.h"
#include "e2e/fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

class ADatabaseThatIsHeld : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    content_of(agent().call("exec_bash_background",
                            {{"command", "true"}, {"sandbox_name", "local"}}));  // makes it
    held_ = std::make_unique<SQLite::Database>(
        lab().client_home() + "/.local/state/yonder/yonder.db", SQLite::OPEN_READWRITE,
        static_cast<int>(std::chrono::milliseconds(testing::kPatience).count()));
    held_->exec("BEGIN IMMEDIATE");
  }
  void TearDown() override {
    held_.reset();
    EXPECT_TRUE(lab::kill_and_wait(lab::processes_matching(marker_)).empty());
  }

  std::unique_ptr<SQLite::Database> held_;
  const std::string marker_ = new_marker();
};

TEST_F(ADatabaseThatIsHeld, DoesNotKeepWorkFromBeingStartedSeenAndStopped) {
  const Json started =
      content_of(agent().call("exec_bash_background", {{"command", "echo begun; exec sleep 1000"},
                                                       {"sandbox_name", "local"},
                                                       {"env", {{"E2E_MARK", marker_}}}}));
  EXPECT_EQ(started["status"], "started") << started;
  EXPECT_THAT(started["warnings"].dump(), HasSubstr("yonder.db")) << started;
  const Json run{{"run_id", started["run_id"]}, {"sandbox_name", "local"}};
  Json checked;
  EXPECT_TRUE(lab::eventually([&] {
    checked = content_of(agent().call("check_background_task", run));
    return checked["log_tail"] == "begun\n";
  })) << checked;
  EXPECT_EQ(checked["running"], true);
  EXPECT_THAT(checked["warnings"].dump(), HasSubstr("could not be written down here"));
  EXPECT_EQ(content_of(agent().call("stop_background_task", run))["gone"], true);
  EXPECT_EQ(bash("echo done")["stdout"], "done\n");
}

TEST_F(ADatabaseThatIsHeld, IsToldInEveryAnswerWhoseNoteCouldNotBeWritten) {
  const auto is_told = [](const Json& answer) {
    EXPECT_THAT(answer["warnings"].dump(), HasSubstr("yonder.db")) << answer.dump(2);
  };
  const Json begun = bash("exec sleep 1000", {{"wait_s", 0}, {"env", {{"E2E_MARK", marker_}}}});
  ASSERT_TRUE(begun["run_id"].is_string()) << begun;
  is_told(begun);
  const Json run{{"run_id", begun["run_id"]}, {"wait_s", 0}};
  is_told(content_of(agent().call("exec_bash", run)));
  is_told(content_of(agent().call("check_background_task", Json{{"run_id", begun["run_id"]}})));
  is_told(content_of(agent().call("list_background_tasks", Json{{"sandbox_name", "local"}})));
  is_told(content_of(agent().call("stop_background_task", Json{{"run_id", begun["run_id"]}})));
  is_told(content_of(agent().call("exec_bash", run)));
}

}  // namespace
}  // namespace yonder::e2e
