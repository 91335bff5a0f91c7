// GPUs that runs reserve, and wait for, as an agent and a person see it.

#include <cstdlib>
#include <filesystem>

#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"
#include "lab/gpu_stub.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

// Two machines: alice's with one GPU, and bob's with two.
class Leases : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    small_.set_gpus({{}});
    small_place_ = new_open_directory() + "/gpus";
    large_.set_gpus({{.memory_total = "81920"}, {.memory_total = "81920"}});
    small_server_.emplace(start_sshd(options(small_, small_place_)));
    large_server_.emplace(start_sshd(options(large_, new_open_directory() + "/gpus")));
    write_hosts({host("small", *small_server_, "alice"), host("large", *large_server_, "bob")});
    write_config_toml(
        "active = \"small\"\n[sandbox.small]\nhost = \"small\"\n"
        "[sandbox.large]\nhost = \"large\"\n");
  }
  void TearDown() override {
    for (const auto& id : begun_) agent().call("stop_background_task", {{"run_id", id}});
  }

  static lab::SshdOptions options(const lab::GpuStub& stub, const std::string& place) {
    lab::SshdOptions options;
    options.config = {concat("SetEnv PATH=", stub.path(), ":", std::getenv("PATH"),
                             " YONDER_GPU_LEASES=", place)};
    return options;
  }
  Json begin(const Json& arguments) {
    Json all{{"command", "echo got $CUDA_VISIBLE_DEVICES; sleep 600"}, {"gpus", 1}};
    all.update(arguments);
    Json started = content_of(agent().call("exec_bash_background", all));
    begun_.push_back(started["run_id"]);
    return started;
  }
  Json refused(const Json& arguments) {
    Json all{{"command", "echo wrong"}, {"gpus", 1}};
    all.update(arguments);
    return error_of(agent().call("exec_bash_background", all));
  }
  Json check(const Json& run) {
    return content_of(agent().call("check_background_task", {{"run_id", run["run_id"]}}));
  }
  void stop(const Json& run) {
    const Json stopped =
        content_of(agent().call("stop_background_task", {{"run_id", run["run_id"]}}));
    EXPECT_EQ(stopped["gone"], true) << stopped.dump(2);
  }
  Captured yonder(const std::vector<std::string>& arguments) {
    return run_yonder(arguments, environment(), {});
  }

  lab::GpuStub small_;
  lab::GpuStub large_;
  std::string small_place_;
  std::optional<lab::Sshd> small_server_;
  std::optional<lab::Sshd> large_server_;
  std::vector<std::string> begun_;
};

TEST_F(Leases, GiveARunItsGpuAndRefuseTheNextOneWithTheHolder) {
  const Json first = begin({{"sandbox_name", "small"}, {"key", "first"}});
  ASSERT_EQ(first["gpus"].size(), 1U) << first.dump(2);
  EXPECT_EQ(first["gpus"][0]["uuid"], small_.uuid(0));
  EXPECT_TRUE(lab::eventually([&] {
    return check(first)["log_tail"].get<std::string>().find(small_.uuid(0)) != std::string::npos;
  }));
  const Json error = refused({{"sandbox_name", "small"}, {"key", "second"}});
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(first["run_id"].get<std::string>()));
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("alice"));
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("--when free"));
  const Json list = content_of(agent().call("list_background_tasks", Json::object()));
  EXPECT_THAT(list.dump(), HasSubstr(first["run_id"].get<std::string>()));
  EXPECT_THAT(list.dump(), ::testing::Not(HasSubstr("echo wrong")))
      << "a refused run leaves nothing";
  stop(first);
  const Json again = begin({{"sandbox_name", "small"}, {"key", "second"}});
  EXPECT_EQ(again["gpus"].size(), 1U) << "its key is free again";
}

TEST_F(Leases, QueueARunThatStartsWhenTheGpuIsFreeAlsoWithoutItsClient) {
  const Json first = begin({{"sandbox_name", "small"}});
  auto client = new_agent();
  const Json queued = content_of(client->call(
      "exec_bash_background",
      {{"command", "echo got it"}, {"gpus", 1}, {"when", "free"}, {"sandbox_name", "small"}}));
  EXPECT_EQ(queued["state"], "queued") << queued.dump(2);
  EXPECT_EQ(queued["queue"]["ahead"], 0);
  EXPECT_THAT(queued["queue"]["holders"].dump(), HasSubstr(first["run_id"].get<std::string>()));
  client->crash();
  const Captured shown = yonder({"gpus", "small"});
  EXPECT_THAT(shown.out, HasSubstr("alice"));
  EXPECT_THAT(shown.err, HasSubstr(queued["run_id"].get<std::string>()));
  stop(first);
  EXPECT_TRUE(lab::eventually([&] { return check(queued)["state"] == "exited"; }));
  EXPECT_THAT(check(queued)["log_tail"].get<std::string>(), HasSubstr("got it"));
}

TEST_F(Leases, LetAQueuedRunBeStoppedOrGiveUp) {
  const Json first = begin({{"sandbox_name", "small"}});
  const Json queued = begin({{"sandbox_name", "small"}, {"when", "free"}});
  EXPECT_EQ(queued["state"], "queued");
  stop(queued);
  EXPECT_EQ(check(queued)["state"], "stopped");
  const Json limited = begin({{"sandbox_name", "small"}, {"when", "free"}, {"max_wait_s", 1}});
  EXPECT_TRUE(lab::eventually([&] { return check(limited)["state"] == "refused"; }));
  EXPECT_THAT(check(limited)["proof"].get<std::string>(), HasSubstr("within 1 s"));
}

TEST_F(Leases, ComeBackWhenSomebodyClearsTheirPlaceAway) {
  const Json first = begin({{"sandbox_name", "small"}});
  const Json queued = begin({{"sandbox_name", "small"}, {"when", "free"}});
  EXPECT_EQ(queued["state"], "queued") << queued.dump(2);
  std::error_code faster;  // the leases may be back before the directory is gone
  std::filesystem::remove_all(small_place_, faster);
  EXPECT_TRUE(lab::eventually([&] {
    const Captured shown = yonder({"gpus", "small"});
    return shown.out.find(first["run_id"].get<std::string>()) != std::string::npos &&
           shown.err.find(queued["run_id"].get<std::string>()) != std::string::npos;
  }));
  const Json error = refused({{"sandbox_name", "small"}});
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(first["run_id"].get<std::string>()));
  EXPECT_THAT(check(first)["log_tail"].get<std::string>(), HasSubstr("it was put back"));
  EXPECT_EQ(check(queued)["state"], "queued");
  stop(first);
  EXPECT_TRUE(lab::eventually([&] { return check(queued)["state"] == "running"; }));
}

TEST_F(Leases, LetARunWaitUntilTheDriverIsBack) {
  small_.set_mode("nodriver");
  const Json blind = begin({{"sandbox_name", "small"}, {"when", "free"}});
  EXPECT_EQ(blind["state"], "queued") << blind.dump(2);
  EXPECT_THAT(blind["queue"]["holders"].dump(), HasSubstr("cannot be seen now"));
  small_.set_mode("");
  EXPECT_TRUE(lab::eventually([&] { return check(blind)["state"] == "running"; }));
}

TEST_F(Leases, AutoGoesWhereTheGpusAreAndSaysWhyNotElsewhere) {
  const Json both = begin({{"sandbox_name", "auto"}, {"gpus", 2}});
  EXPECT_EQ(both["sandbox"], "large") << both.dump(2);
  EXPECT_EQ(both["gpus"].size(), 2U);
  EXPECT_THAT(both["chosen"]["ruled_out"].dump(), HasSubstr("1 GPU"));
  const Json small = begin({{"sandbox_name", "auto"}, {"key", "k"}});
  EXPECT_EQ(small["sandbox"], "small");
  const Json again = begin({{"sandbox_name", "auto"}, {"key", "k"}});
  EXPECT_EQ(again["run_id"], small["run_id"]) << "a key finds its machine, and its run, again";
  const Json none = refused({{"sandbox_name", "auto"}});
  EXPECT_THAT(none["message"].get<std::string>(), HasSubstr("is held by"));
  const Json queued = begin({{"sandbox_name", "auto"}, {"when", "free"}, {"gpu_memory_mb", 60000}});
  EXPECT_EQ(queued["sandbox"], "large");
  EXPECT_EQ(queued["state"], "queued");
}

}  // namespace
}  // namespace yonder::e2e
