// `auto` with a key: one piece of work, on one machine.

#include <future>

#include "base/file.h"
#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"
#include "lab/gpu_stub.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

class Auto : public EndToEnd {
 protected:
  // Two machines with a GPU each: another home, other records.
  void SetUp() override {
    EndToEnd::SetUp();
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      gpus_[i].set_gpus({{}});
      servers_.push_back(start_sshd(options(gpus_[i])));
    }
    configure({"m1", "m2"});
  }
  void TearDown() override {
    for (const auto& id : begun_) yonder({"stop", id});
  }

  lab::SshdOptions options(const lab::GpuStub& stub) {
    lab::SshdOptions options;
    options.config = {concat("SetEnv PATH=", stub.path(), ":", std::getenv("PATH"),
                             " YONDER_GPU_LEASES=", new_open_directory(), "/gpus")};
    return options;
  }
  void configure(const std::vector<std::string>& names) {
    std::vector<lab::SshHost> hosts;
    for (const auto& name : names) {
      hosts.push_back(host(name, servers_[name == "m1" ? 0 : 1], name == "m1" ? "alice" : "bob"));
    }
    write_hosts(hosts);
    std::string text = concat("active = \"", names.front(), "\"\n");
    for (const auto& name : names) text += concat("[sandbox.", name, "]\nhost = \"", name, "\"\n");
    write_config_toml(text);
  }
  Captured yonder(const std::vector<std::string>& arguments) {
    return run_yonder(arguments, environment(), {});
  }
  Captured run_with_key(const std::string& sandbox, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", sandbox, "--key", key_, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", "sleep 600"});
    return yonder(words);
  }
  Json begun(const Captured& done) {
    EXPECT_EQ(done.status.code, 0) << done.err << done.out;
    Json started = Json::parse(done.out, nullptr, false);
    if (started.contains("run_id")) begun_.push_back(started["run_id"]);
    return started;
  }

  const std::string key_ = new_marker();
  std::array<lab::GpuStub, 2> gpus_;
  std::vector<lab::Sshd> servers_;
  std::vector<std::string> begun_;
};

TEST_F(Auto, AKeyAskedForTwiceAtOnceIsOneRun) {
  for (int round = 0; round < 3; ++round) {
    auto other = std::async(std::launch::async, [&] { return run_with_key("auto"); });
    const Json one = begun(run_with_key("auto"));
    const Json two = begun(other.get());
    EXPECT_EQ(one["run_id"], two["run_id"]) << one.dump(2) << two.dump(2);
    EXPECT_EQ(one["sandbox"], two["sandbox"]);
    yonder({"stop", one["run_id"]});
    yonder({"rm", one["run_id"]});
  }
}

TEST_F(Auto, WithoutKnowingWhereAKeyIsNothingIsStarted) {
  begun(run_with_key("auto", {"--gpus", "1"}));
  const std::string database = lab().client_home() + "/.local/state/yonder/yonder.db";
  for (const char* more : {"", "-wal", "-shm"}) ::unlink((database + more).c_str());
  ASSERT_TRUE(write_file_atomically(database, std::string(8192, 'x'), Durability::Process));
  const Captured again = run_with_key("auto", {"--gpus", "1"});
  EXPECT_EQ(again.status.code, 255) << again.out;
  EXPECT_THAT(again.out, HasSubstr("where the run of this key was placed is not known"));
  EXPECT_THAT(again.out, HasSubstr("nothing was started"));
  ::unlink(database.c_str());
}

TEST_F(Auto, AKeyOnAMachineThatIsNotConfiguredAnyMoreIsNotStartedElsewhere) {
  const std::string where = begun(run_with_key("auto"))["sandbox"];
  configure({where == "m1" ? "m2" : "m1"});
  const Captured again = run_with_key("auto");
  EXPECT_EQ(again.status.code, 255) << again.out;
  EXPECT_THAT(again.out, HasSubstr(where + ", which is not configured any more"));
  configure({"m1", "m2"});
}

TEST_F(Auto, AKeyThatWasRefusedBeforeIsTriedAgain) {
  const Json holder = begun(yonder({"run", "m1", "--gpus", "1", "--json", "--", "sleep 600"}));
  const Json queued =
      begun(run_with_key("m1", {"--gpus", "1", "--when", "free", "--max-wait", "1"}));
  EXPECT_EQ(queued["state"], "queued");
  EXPECT_NE(yonder({"wait", queued["run_id"]}).status.code, 0);
  yonder({"stop", holder["run_id"]});
  const Json again = begun(run_with_key("m1", {"--gpus", "1"}));
  EXPECT_EQ(again["state"], "running") << again.dump(2);
  EXPECT_NE(again["run_id"], queued["run_id"]);
}

TEST_F(Auto, AMachineIsLookedAtAnewWhenSomethingHasBegunThere) {
  const auto free = [&] {
    Json seen;
    EXPECT_TRUE(lab::eventually([&] {  // it may take a while to be reached
      const Json list = content_of(agent().call("list_sandboxes", Json{{"check_resources", true}}));
      for (const auto& one : list["sandboxes"]) {
        if (one["name"] != "m1" || !one["resources"].contains("gpu")) continue;
        seen = one["resources"]["gpu"][0]["free"];
      }
      return !seen.is_null();
    }));
    return seen;
  };
  EXPECT_EQ(free(), Json(true));
  const Json started = content_of(agent().call(
      "exec_bash_background", Json{{"command", "sleep 600"}, {"gpus", 1}, {"sandbox_name", "m1"}}));
  begun_.push_back(started["run_id"]);
  EXPECT_EQ(free(), Json(false));
  agent().call("stop_background_task", Json{{"run_id", started["run_id"]}});
  EXPECT_EQ(free(), Json(true));
}

}  // namespace
}  // namespace yonder::e2e
