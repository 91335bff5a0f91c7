#include "e2e/deploy_fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A user whose home is a small disk, and who has worked there with Yonder.
class FullHome : public DeployTest {
 protected:
  void SetUp() override {
    DeployTest::SetUp();
    use();
    auto mounted = lab().mount_home(user().name, "size=48m");
    if (!mounted) throw std::runtime_error(mounted.error().message);
    home_.emplace(*std::move(mounted));
    expect_works();
  }
  void TearDown() override {
    DeployTest::TearDown();
    home_.reset();
  }
  Json far(const std::string& command, Json more = Json::object()) {
    more["sandbox_name"] = "far";
    return bash(command, more);
  }
  static std::vector<std::string> warnings_in(const Json& answer) {
    return answer.at("warnings").get<std::vector<std::string>>();
  }
  // Twice: what others tried meanwhile, and gave up, has made room again.
  static constexpr const char* kFill =
      "head -c 100000000 /dev/zero > ~/fill; head -c 100000000 /dev/zero >> ~/fill; ";

 private:
  std::optional<lab::Mount> home_;
};

TEST_F(FullHome, IsToldOfACommandWhoseOutputWasLost) {
  const Json lost = far(concat(kFill, "echo hello; exit 3"));
  EXPECT_EQ(lost["exit_code"], 3);
  EXPECT_EQ(lost["stdout_bytes"], 0);
  EXPECT_EQ(lost["truncated"], true);
  EXPECT_THAT(warnings_in(lost), Contains(HasSubstr("output may be missing"))) << lost;
  far("rm ~/fill");
  const Captured person = run_yonder(
      {"exec", "far", "--quiet", "--", "sh", "-c", concat(kFill, "echo hello")}, environment());
  EXPECT_THAT(person.err, HasSubstr("output may be missing"));
  far("rm ~/fill");
}

TEST_F(FullHome, IsToldOfABackgroundRun) {
  const Json started = content_of(agent().call(
      "exec_bash_background",
      Json{{"command", concat(kFill, "echo hello; exit 3")}, {"sandbox_name", "far"}}));
  const Json run{{"run_id", started["run_id"]}, {"wait_s", 5}};
  Json seen = content_of(agent().call("check_background_task", run));
  for (const Deadline give_up = patience(); seen["running"] == true && !give_up.expired();) {
    seen = content_of(agent().call("check_background_task", run));
  }
  EXPECT_EQ(seen["exit_code"], 3) << seen;
  EXPECT_THAT(warnings_in(seen), Contains(HasSubstr("output may be missing"))) << seen;
  far("rm ~/fill");
}

TEST_F(FullHome, DoesNotKeepAPersonFromFreeingIt) {
  far(kFill);
  const Captured freed = run_yonder({"exec", "far", "--", "rm", "fill"}, environment());
  EXPECT_EQ(freed.status.code, 0) << freed.err;
  EXPECT_THAT(freed.err, HasSubstr("the usual place had no room"));
  EXPECT_FALSE(names_in(user().home).empty());
  EXPECT_THAT(names_in(user().home), Not(Contains("fill")));
  EXPECT_THAT(warnings_in(far("true")), IsEmpty());
}

TEST_F(FullHome, KeepsWhatACommandPrintsAndItsKeyElsewhere) {
  far(kFill);
  const Json first = far("echo x >> /tmp/$YONDER_RUN_ID; echo hello", {{"key", "work"}});
  EXPECT_EQ(first["stdout"], "hello\n") << first;
  EXPECT_THAT(warnings_in(first), Contains(HasSubstr("the usual place had no room")));
  const Json again = far("echo x >> /tmp/$YONDER_RUN_ID; echo hello", {{"key", "work"}});
  EXPECT_EQ(again["run_id"], first["run_id"]);
  EXPECT_EQ(again["attached"], true);
  const Json by_id = content_of(agent().call("exec_bash", Json{{"run_id", first["run_id"]}}));
  EXPECT_EQ(by_id["stdout"], "hello\n");
  const std::string mark = concat("/tmp/", first["run_id"].get<std::string>());
  EXPECT_EQ(file_text(mark), "x\n");
  far(concat("rm ~/fill ", mark));
}

TEST_F(FullHome, IsNamedByTheDoctor) {
  EXPECT_THAT(run_yonder({"doctor", "far"}, environment()).out, Not(HasSubstr("full (")));
  far(kFill);
  const Captured seen = run_yonder({"doctor", "far"}, environment());
  EXPECT_NE(seen.status.code, 0);
  EXPECT_THAT(seen.out,
              AllOf(ContainsRegex(concat("the disk at ", user().home, " is (almost )?full")),
                    HasSubstr("remove files there"), Not(HasSubstr("All is well"))));
  far("rm ~/fill");
}

}  // namespace
}  // namespace yonder::e2e
