// What machines have, and which one is chosen.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"
#include "lab/gpu_stub.h"

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
  // The list, once each machine has either been measured or is known to be out of reach.
  Json measured() {
    Json list;
    EXPECT_TRUE(lab::eventually([&] {
      list = content_of(agent().call("list_sandboxes", {{"check_resources", true}}));
      return std::ranges::none_of(list["sandboxes"], [](const Json& one) {
        return one["connection_error"].is_object() &&
               one["connection_error"]["message"] == "no answer yet";
      });
    }));
    return list;
  }
};

Json named(const Json& list, const char* key, const std::string& name) {
  for (const auto& one : list) {
    if (one[key] == name) return one;
  }
  return {};
}

TEST_F(Machines, AreListedWithWhatTheyHave) {
  const Json list = measured();
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
      agent().call("check_background_task", Json{{"run_id", started["run_id"]}, {"wait_s", 600}}));
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

// A machine with GPUs that stubs show.
class MachinesWithGpus : public Machines {
 protected:
  void TearDown() override {
    for (const auto& id : begun_) on_stubs({"stop", id});
  }

  Captured on_stubs(const std::vector<std::string>& arguments) {
    if (!server_) serve();
    return yonder(arguments);
  }
  void serve() {
    std::string path = nvidia_.path();
    if (amd_) path += ":" + amd_->path();
    lab::SshdOptions options;
    // Two variables as a login profile may have left them.
    options.config = {concat("SetEnv PATH=", path, ":", std::getenv("PATH"),
                             " YONDER_GPU_LEASES=", leases_, " YONDER_KFD=", kfd_,
                             " HIP_VISIBLE_DEVICES=7 CUDA_VISIBLE_DEVICES=7")};
    server_.emplace(start_sshd(options));
    write_hosts({host("gpus", *server_)});
    write_config_toml("active = \"one\"\n[sandbox.one]\nhost = \"gpus\"\n");
  }
  Json gpus() {
    const Captured done = on_stubs({"gpus", "--json", "one"});
    return Json::parse(done.out, nullptr, false)["machines"][0];
  }
  Json begin(std::vector<std::string> options) {
    std::vector<std::string> words{"run", "--json", "one"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sleep", "600"});
    Json run = Json::parse(on_stubs(words).out, nullptr, false);
    if (run.contains("run_id")) begun_.push_back(run["run_id"]);
    return run;
  }

  void add_amd() {
    amd_.emplace("amd-smi");
    amd_->write("amd-metric.json",
                R"([{"gpu": 0, "usage": {"gfx_activity": {"value": 0, "unit": "%"}}}])");
    amd_->write("amd-static.json", R"([{"gpu": 0, "asic": {"market_name": "Radeon"}}])");
    amd_->write("amd-list.json", R"([{"gpu": 0, "bdf": "0000:03:00.0", "uuid": "u-1"}])");
    amd_->write("amd-process.json", R"([{"gpu": 0, "process_list": []}])");
    const std::string node = kfd_ + "/topology/nodes/0";
    std::filesystem::create_directories(node);
    EXPECT_TRUE(write_file_atomically(node + "/properties",
                                      "simd_count 96\nlocation_id 768\ndomain 0\nunique_id 2748\n",
                                      Durability::Process));
    std::filesystem::permissions(node + "/properties", std::filesystem::perms(0644));
  }

  lab::GpuStub nvidia_;
  std::optional<lab::GpuStub> amd_;
  std::optional<lab::Sshd> server_;
  std::string leases_ = new_open_directory() + "/gpus";
  std::string kfd_ = new_open_directory() + "/kfd";
  std::vector<std::string> begun_;
};

TEST_F(MachinesWithGpus, CallNothingFreeWhileLeasesCannotBeSeen) {
  nvidia_.set_gpus({{}});
  ASSERT_TRUE(write_file_atomically(leases_, "no directory", Durability::Process));
  const Json seen = gpus();
  EXPECT_TRUE(seen["gpu"][0]["free"].is_null()) << seen.dump(2);
  EXPECT_TRUE(seen["gpu_queue"].is_null());
  EXPECT_TRUE(seen["lease_problem"].is_string());
  EXPECT_TRUE(seen["not_measured"].contains("gpu[0].lease"));
  const Captured shown = on_stubs({"gpus", "one"});
  EXPECT_THAT(shown.out, HasSubstr("\t?\t?\t?\n"));
  EXPECT_THAT(shown.err, HasSubstr("cannot be reserved"));
}

TEST_F(MachinesWithGpus, AreNotIdledByARequestThatCannotStartYet) {
  nvidia_.set_gpus({{}, {}});
  begin({"--gpus", "1"});
  const Json queued = begin({"--gpus", "2", "--when", "free"});
  EXPECT_EQ(queued["state"], "queued") << queued.dump(2);
  EXPECT_TRUE(queued["queue"]["since"].is_number());
  const Json seen = gpus();
  EXPECT_EQ(seen["gpu_queue"].size(), 1U) << seen.dump(2);
  EXPECT_EQ(seen["gpu"][1]["free"], true) << seen.dump(2);
  EXPECT_THAT(queued["queue"]["holders"].dump(), HasSubstr("GPU 0 is held by"));
  EXPECT_EQ(on_stubs({"exec", "one", "--gpus", "1", "--", "true"}).status.code, 0);
}

TEST_F(MachinesWithGpus, OfAmdAreCalledWhatProgramsCallThem) {
  nvidia_.set_mode("none");
  add_amd();
  const Json seen = gpus();
  ASSERT_EQ(seen["gpu"].size(), 1U) << seen.dump(2);
  EXPECT_EQ(seen["gpu"][0]["uuid"], "GPU-0000000000000abc");
  EXPECT_EQ(seen["gpu"][0]["vendor"], "amd");
  const Captured done =
      on_stubs({"exec", "one", "--gpus", "1", "--",
                "echo [$ROCR_VISIBLE_DEVICES] [$HIP_VISIBLE_DEVICES] [$CUDA_VISIBLE_DEVICES]"});
  EXPECT_EQ(done.out, "[GPU-0000000000000abc] [0] []\n") << done.err;
}

TEST_F(MachinesWithGpus, OfBothVendorsAreShown) {
  nvidia_.set_gpus({{.name = "NVIDIA Stub"}});
  add_amd();
  EXPECT_EQ(gpus()["gpu"].size(), 2U);
  nvidia_.set_mode("nodriver");
  const Json seen = gpus();
  EXPECT_EQ(seen["gpu"].size(), 1U);
  EXPECT_THAT(seen["gpu_problem"].get<std::string>(), HasSubstr("NVIDIA-SMI has failed"));
}

TEST_F(MachinesWithGpus, ThatAreOutOfOrderAreNotGivenAway) {
  nvidia_.set_gpus({{.utilization = "[Unknown Error]", .memory_used = "[Unknown Error]"}});
  EXPECT_EQ(gpus()["gpu"][0]["free"], false);
  const Captured refused = on_stubs({"exec", "one", "--gpus", "1", "--", "echo wrong"});
  EXPECT_NE(refused.status.code, 0);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("[Unknown Error]"));
}

TEST_F(Machines, WithoutTheirDirectoryAreNotChosen) {
  write_config_toml(R"(active = "one"
[sandbox.one]
backend = "local"
cwd = "/not-there/at-all"
[sandbox.two]
backend = "local"
)");
  const Json one = named(measured()["sandboxes"], "name", "one")["resources"];
  EXPECT_TRUE(one["disks"][0]["free_mb"].is_null()) << one.dump(2);
  EXPECT_THAT(one["not_measured"]["disks[0].free_mb"].get<std::string>(),
              HasSubstr("'/not-there/at-all' does not exist"));
  for (int i = 0; i < 3; ++i) {
    const Captured done = yonder({"exec", "auto", "--", "echo here"});
    EXPECT_EQ(done.out, "here\n") << done.err;
  }
  const Json chosen = content_of(
      agent().call("exec_bash", Json{{"sandbox_name", "auto"}, {"command", "true"}}))["chosen"];
  EXPECT_EQ(chosen["sandbox"], "two") << chosen.dump(2);
  EXPECT_THAT(chosen["ruled_out"].dump(), HasSubstr("commands cannot start there"));
}

TEST_F(Machines, WithoutTheDirectoryToStartInAreNotAskedForLess) {
  const Json error =
      bash_error("true", Json{{"sandbox_name", "auto"}, {"cwd", "/there/is/no/such/place"}});
  EXPECT_EQ(error["code"], "invalid_argument") << error.dump(2);
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("does not exist"));
  EXPECT_THAT(error["hint"].get<std::string>(), HasSubstr("give another cwd"));
}

}  // namespace
}  // namespace yonder::e2e
