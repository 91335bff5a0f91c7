#include <filesystem>

#include "base/file.h"
#include "e2e/deploy_fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

// A machine whose home is mounted, or not.
class RecordsAway : public DeployTest {
 protected:
  // What hides the home is gone with its owner.
  lab::Mount hide_home() {
    auto mounted = lab().mount_home(user().name, "mode=755");
    if (!mounted) throw std::runtime_error(mounted.error().message);
    return *std::move(mounted);
  }
  Json once(const std::string& marks) const {
    return exec_arguments("echo ran >> " + marks,
                          {{"sandbox_name", "far"}, {"key", "once"}, {"cwd", "/"}});
  }
  std::string state() const { return user().home + "/.local/state/yonder"; }
  void forget_over_there() const {
    for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
      std::error_code ignored;
      std::filesystem::remove_all(concat(parent, "/yonder-", user().uid, "/places"), ignored);
    }
  }
};

TEST_F(RecordsAway, ARunWithAKeyHappensOnceThoughTheHomeIsGoneForAMoment) {
  use();
  const std::string marks = new_open_directory() + "/marks";
  const Json first = content_of(agent().call("exec_bash", once(marks)));
  EXPECT_EQ(file_text(marks), "ran\n");
  {
    const lab::Mount hidden = hide_home();
    auto other = new_agent();
    for (McpClient* client : {&agent(), other.get()}) {
      const Json error = error_of(client->call("exec_bash", once(marks)));
      EXPECT_THAT(dump_json(error), HasSubstr(state()));
      const Json seen = error_of(client->call(
          "check_background_task", {{"run_id", first["run_id"]}, {"sandbox_name", "far"}}));
      EXPECT_THAT(dump_json(seen), HasSubstr(state())) << "it is not called missing";
    }
  }
  const Json again = content_of(agent().call("exec_bash", once(marks)));
  EXPECT_EQ(again["run_id"], first["run_id"]);
  EXPECT_EQ(file_text(marks), "ran\n");
}

TEST_F(RecordsAway, ThisMachineRemembersWhereTheyWereWhenTheOtherHasForgotten) {
  use();
  const std::string marks = new_open_directory() + "/marks";
  const Json first = content_of(agent().call("exec_bash", once(marks)));
  content_of(new_agent()->call("exec_bash", once(marks)));  // its link is told of the directory
  forget_over_there();
  {
    const lab::Mount hidden = hide_home();
    auto other = new_agent();
    const Json error = error_of(other->call("exec_bash", once(marks)));
    EXPECT_THAT(dump_json(error), HasSubstr(state()));
    EXPECT_THAT(dump_json(error), HasSubstr("--forget-place"));
    EXPECT_EQ(file_text(marks), "ran\n");
    content_of(other->call("list_remote_files", {{"remote_path", "/"}, {"sandbox_name", "far"}}));
  }
  const Json again = content_of(new_agent()->call("exec_bash", once(marks)));
  EXPECT_EQ(again["run_id"], first["run_id"]);
  EXPECT_EQ(file_text(marks), "ran\n");
}

}  // namespace
}  // namespace yonder::e2e
