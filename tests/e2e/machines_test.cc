// What machines have, and which one is chosen.

#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

class Machines : public EndToEnd {
 protected:
  // Two names for this machine, and one that nobody answers at.
  void SetUp() override {
    EndToEnd::SetUp();
    write_config_toml(R"(active = "one"
[sandbox.one]
backend = "local"
labels = ["fast"]
[sandbox.two]
backend = "local"
labels = ["fast", "big"]
[sandbox.dead]
host = "127.0.0.1"
port = 1
connect_timeout_s = 2
)");
  }

  Captured yonder(const std::vector<std::string>& arguments) {
    return run_yonder(arguments, environment(), {});
  }
  Json json_of(const std::vector<std::string>& arguments) {
    const Captured done = yonder(arguments);
    EXPECT_EQ(done.status.code, 0) << done.err << done.out;
    return Json::parse(done.out, nullptr, false);
  }
};

Json named(const Json& list, const char* key, const std::string& name) {
  for (const auto& one : list) {
    if (one[key] == name) return one;
  }
  return {};
}

TEST_F(Machines, AreListedWithWhatTheyHave) {
  const Json list = content_of(agent().call("list_sandboxes", Json{{"check_resources", true}}));
  const Json one = named(list["sandboxes"], "name", "one");
  const Json& resources = one["resources"];
  EXPECT_GT(resources["cpu"]["count"], 0) << one.dump(2);
  EXPECT_GT(resources["memory"]["total_mb"], 0);
  EXPECT_TRUE(resources.contains("idle_score"));
  EXPECT_TRUE(resources["idle_score"].is_number() ||
              resources["not_measured"].contains("idle_score"));
  EXPECT_EQ(one["labels"], Json::array({"fast"}));
  const Json dead = named(list["sandboxes"], "name", "dead");
  EXPECT_TRUE(dead["resources"].contains("error")) << dead.dump(2);
}

TEST_F(Machines, AreChosenAndTheOthersNamed) {
  const Json done = json_of({"exec", "auto", "-n", "--json", "--", "echo here"});
  EXPECT_EQ(done["stdout"], "here\n");
  const Json& chosen = done["chosen"];
  EXPECT_EQ(chosen["sandbox"], done["sandbox"]);
  EXPECT_EQ(chosen["ruled_out"].size(), 2U) << chosen.dump(2);
  EXPECT_FALSE(named(chosen["ruled_out"], "sandbox", "dead").is_null()) << chosen.dump(2);
}

TEST_F(Machines, AreTakenInTurnsByThoseWhoChooseOneAfterAnother) {
  const std::string first = json_of({"exec", "auto", "-n", "--json", "--", "true"})["sandbox"];
  const std::string second = json_of({"exec", "auto", "-n", "--json", "--", "true"})["sandbox"];
  EXPECT_NE(first, second);
}

TEST_F(Machines, AreChosenByLabelAndNeeds) {
  EXPECT_EQ(json_of({"exec", "auto", "-n", "--label", "big", "--json", "--", "true"})["sandbox"],
            "two");
  const Captured none = yonder({"exec", "auto", "-n", "--memory", "900000000", "--", "true"});
  EXPECT_EQ(none.status.code, 255);
  EXPECT_THAT(none.err, HasSubstr("of memory available"));
  const Captured lacks = yonder({"exec", "one", "-n", "--label", "big", "--", "true"});
  EXPECT_EQ(lacks.status.code, 255);
  EXPECT_THAT(lacks.err, HasSubstr("one does not fit: has no label 'big'"));
}

TEST_F(Machines, AreFoundAgainByTheRunTheyWereChosenFor) {
  const Json started = content_of(
      agent().call("exec_bash_background", Json{{"command", "echo hi"}, {"sandbox_name", "auto"}}));
  EXPECT_EQ(started["sandbox"], started["chosen"]["sandbox"]);
  const Json seen = content_of(
      agent().call("check_background_task", Json{{"run_id", started["run_id"]}, {"wait_s", 10}}));
  EXPECT_EQ(seen["sandbox"], started["sandbox"]);
}

TEST_F(Machines, MustBeNamedForWhatStartsNoWork) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"ls", "--sandbox", "auto", "."}, {"ps", "auto"}, {"doctor", "auto"}}) {
    const Captured refused = yonder(words);
    EXPECT_NE(refused.status.code, 0) << words.front();
    EXPECT_THAT(refused.err, HasSubstr("here one must be named")) << words.front();
  }
}

TEST_F(Machines, ShowTheirGpus) {
  const Captured shown = yonder({"gpus", "one", "dead"});
  EXPECT_EQ(shown.status.code, 0);
  EXPECT_THAT(shown.err, HasSubstr("dead: could not be asked"));
  const Json json = json_of({"gpus", "--json"});
  EXPECT_EQ(json["machines"].size(), 4U) << json.dump(2);  // with `local`
}

}  // namespace
}  // namespace yonder::e2e
