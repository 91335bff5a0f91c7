#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "ops/background.h"
#include "ops/exec.h"
#include "ops/machines.h"
#include "ops/operation.h"
#include "ops/tasks.h"
#include "resources/facts_test.h"

namespace yonder::ops {
namespace {

using resources::Count;
using resources::gpu_of;
using ::testing::HasSubstr;

resources::Seen seen_machine(std::uint64_t gpus) {
  return {.facts = resources::machine_for_test(gpus),
          .error = {},
          .age = std::chrono::milliseconds(1500)};
}

TEST(ResourcesJson, HasTheKeysThatClientsKnow) {
  const Json json = resources_json(seen_machine(1));
  EXPECT_EQ(json["cpu"]["load_1m"], 2.0);
  EXPECT_EQ(json["cpu"]["load_5m"], 1.5);
  EXPECT_EQ(json["cpu"]["load_15m"], 1.0);
  EXPECT_EQ(json["cpu"]["count"], 4);
  EXPECT_EQ(json["cpu"]["allowed"], 4.0);
  EXPECT_TRUE(json["cpu"]["limit"].is_null());
  EXPECT_EQ(json["memory"]["total_mb"], 16384);
  EXPECT_EQ(json["memory"]["used_mb"], 4096);
  EXPECT_EQ(json["memory"]["free_mb"], 12288);
  EXPECT_EQ(json["memory"]["available_mb"], 12288);
  EXPECT_EQ(json["memory"]["used_pct"], 25.0);
  EXPECT_EQ(json["idle_score"], 0.7);
  EXPECT_EQ(json["measured_ms_ago"], 1500);
  EXPECT_EQ(json["disks"][0]["free_mb"], 102400);
  EXPECT_TRUE(json["not_measured"].empty());
  const Json& gpu = json["gpu"][0];
  EXPECT_EQ(gpu["index"], 0);
  EXPECT_EQ(gpu["util_pct"], 0);
  EXPECT_EQ(gpu["mem_used_mb"], 0);
  EXPECT_EQ(gpu["mem_total_mb"], 40960);
  EXPECT_EQ(gpu["mem_used_pct"], 0.0);
  EXPECT_EQ(gpu["power_w"], 50.5);
  EXPECT_EQ(gpu["free"], true);
  EXPECT_TRUE(gpu["lease"].is_null());
  EXPECT_FALSE(gpu.contains("slices"));
}

TEST(ResourcesJson, EveryNullHasItsReason) {
  resources::Seen seen = seen_machine(1);
  gpu_of(*seen.facts, 0).utilization_pct = Count::missing("[N/A]");
  seen.facts->memory.available_bytes = Count::missing("an old kernel");
  seen.facts->uptime_s = Count::missing("no /proc");
  const Json json = resources_json(seen);
  EXPECT_TRUE(json["gpu"][0]["util_pct"].is_null());
  EXPECT_TRUE(json["memory"]["used_mb"].is_null());
  EXPECT_TRUE(json["idle_score"].is_null());
  EXPECT_EQ(json["not_measured"]["gpu[0].util_pct"], "[N/A]");
  EXPECT_EQ(json["not_measured"]["memory.available_mb"], "an old kernel");
  EXPECT_EQ(json["not_measured"]["uptime_s"], "no /proc");
  EXPECT_EQ(json["not_measured"]["idle_score"], "memory.available: an old kernel");
}

TEST(ResourcesJson, TellsNoGpuFromNoKnowledgeOfGpus) {
  EXPECT_EQ(resources_json(seen_machine(0))["gpu"], Json::array());
  resources::Seen seen = seen_machine(0);
  seen.facts->gpus.list = resources::Measured<std::vector<resources::Gpu>>::missing("it hung");
  const Json json = resources_json(seen);
  EXPECT_TRUE(json["gpu"].is_null());
  EXPECT_EQ(json["not_measured"]["gpu"], "it hung");
}

TEST(ResourcesJson, ShowsWhoHasAGpuAndWhoWaits) {
  resources::Seen seen = seen_machine(2);
  gpu_of(*seen.facts, 0).lease = {.run_id = "r-1", .user = "alice", .since_ms = 2000, .mine = true};
  gpu_of(*seen.facts, 1).processes.value->push_back({.pid = 7, .user = "bob", .command = "python"});
  gpu_of(*seen.facts, 1).processes.value->front().memory_bytes = Count::missing("[N/A]");
  seen.facts->gpus.queue.push_back({.run_id = "r-2", .user = "carol", .gpus = 1, .since_ms = 3000});
  const Json json = resources_json(seen);
  EXPECT_EQ(json["gpu"][0]["lease"],
            (Json{{"run_id", "r-1"}, {"user", "alice"}, {"since", 2.0}, {"mine", true}}));
  EXPECT_EQ(json["gpu"][0]["free"], false);
  EXPECT_EQ(json["gpu"][1]["processes"][0]["user"], "bob");
  EXPECT_EQ(json["not_measured"]["gpu[1].processes[0].mem_used_mb"], "[N/A]");
  EXPECT_EQ(json["gpu_queue"][0]["run_id"], "r-2");
}

TEST(ResourcesJson, CallsNothingFreeWhileLeasesCannotBeSeen) {
  resources::Seen seen{.facts = resources::machine_for_test(1), .error = {}};
  seen.facts->gpus.lease_problem = "somebody holds the lock";
  for (const Json& json : {resources_json(seen),
                           gpus_json({.machines = {{.spec = {}, .seen = seen}}})["machines"][0]}) {
    EXPECT_TRUE(json["gpu"][0]["free"].is_null());
    EXPECT_TRUE(json["gpu"][0]["lease"].is_null());
    EXPECT_TRUE(json["gpu_queue"].is_null());
    EXPECT_EQ(json["lease_problem"], "somebody holds the lock");
    for (const char* key : {"gpu[0].free", "gpu[0].lease", "gpu_queue"}) {
      EXPECT_EQ(json["not_measured"][key], "leases cannot be seen: somebody holds the lock") << key;
    }
  }
}

TEST(ResourcesJson, AGpuThatIsKeptForSomebodyIsNotFree) {
  resources::Seen seen{.facts = resources::machine_for_test(1), .error = {}};
  seen.facts->gpus.queue.push_back({.run_id = "r-2", .user = "bob", .gpus = 2});
  const Json gpu = resources_json(seen)["gpu"][0];
  EXPECT_EQ(gpu["free"], false);
  EXPECT_EQ(gpu["why_not_free"], "is for bob, who waits");
}

TEST(ResourcesJson, SaysWhenThereMayBeMoreGpus) {
  resources::Seen seen{.facts = resources::machine_for_test(1), .error = {}};
  seen.facts->gpus.unseen = "nvidia-smi hung";
  EXPECT_EQ(resources_json(seen)["gpu_problem"], "nvidia-smi hung");
}

// Every null in `json` below `path`, unless it is one that means something.
void find_nulls(const Json& json, const std::string& path, std::vector<std::string>& found) {
  if (json.is_null()) found.push_back(path);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      find_nulls(value, path.empty() ? key : concat(path, ".", key), found);
    }
  }
  for (std::size_t i = 0; json.is_array() && i < json.size(); ++i) {
    find_nulls(json[i], concat(path, "[", i, "]"), found);
  }
}

TEST(ResourcesJson, NothingMeasuredIsNullWithoutAReason) {
  resources::Seen seen{.facts = resources::machine_for_test(1), .error = {}};
  auto& gpu = resources::gpu_of(*seen.facts, 0);
  gpu.vendor = "nvidia";
  gpu.uuid.clear();
  gpu.memory_total_bytes = resources::Count::missing("[N/A]");
  gpu.processes.value->push_back({.pid = 7, .memory_bytes = resources::Count::missing("[N/A]")});
  seen.facts->memory.available_bytes = resources::Count::missing("no /proc");
  const Json json = resources_json(seen);
  EXPECT_TRUE(json["gpu"][0]["processes"][0]["command"].is_null());
  std::vector<std::string> nulls;
  find_nulls(json, "", nulls);
  for (const auto& path : nulls) {
    const bool means_none = path.ends_with("limit") || path.ends_with("lease");
    EXPECT_TRUE(means_none || json["not_measured"].contains(path)) << path;
  }
  EXPECT_GE(nulls.size(), 8U);
}

TEST(ResourcesJson, OfAMachineThatCouldNotBeAskedIsTheError) {
  const Json json =
      resources_json({.facts = {}, .error = Error{Errc::Unreachable, "no route", ""}});
  EXPECT_EQ(json.size(), 1U);
  EXPECT_EQ(json["error"]["code"], "unreachable");
}

std::string exec_complaint(Json arguments) {
  arguments["command"] = "true";
  const auto request = parse_exec_request(arguments);
  return request ? "" : request.error().message;
}

std::string background_complaint(Json arguments) {
  arguments["command"] = "true";
  const auto request = parse_background_request(arguments);
  return request ? "" : request.error().message;
}

TEST(Needs, AreReadFromTheArguments) {
  const auto request = parse_background_request(Json{{"command", "true"},
                                                     {"sandbox_name", "auto"},
                                                     {"gpus", 2},
                                                     {"gpu_memory_mb", 20000},
                                                     {"memory_mb", 64000},
                                                     {"disk_mb", 1000},
                                                     {"labels", {"a100"}},
                                                     {"when", "free"},
                                                     {"max_wait_s", 7200}});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->needs.gpus, 2U);
  EXPECT_EQ(request->needs.gpu_memory_mb, 20000U);
  EXPECT_EQ(request->needs.memory_mb, 64000U);
  EXPECT_EQ(request->needs.disk_mb, 1000U);
  EXPECT_EQ(request->needs.labels, std::vector<std::string>{"a100"});
  EXPECT_TRUE(request->run.gpu_queue);
  EXPECT_EQ(request->run.gpu_queue_limit, Duration(std::chrono::hours(2)));
}

TEST(Needs, ThatMakeNoSenseAreRefusedByName) {
  EXPECT_THAT(exec_complaint({{"gpus", -1}}), HasSubstr("gpus"));
  EXPECT_THAT(exec_complaint({{"gpus", 1.5}}), HasSubstr("gpus"));
  EXPECT_THAT(exec_complaint({{"gpus", 5000}}), HasSubstr("gpus"));
  EXPECT_THAT(exec_complaint({{"gpu_memory_mb", 5}}), HasSubstr("gpu_memory_mb"));
  EXPECT_THAT(exec_complaint({{"gpus", 1}, {"when", "free"}}), HasSubstr("when"));
  EXPECT_THAT(background_complaint({{"when", "free"}}), HasSubstr("when"));
  EXPECT_THAT(background_complaint({{"gpus", 1}, {"when", "soon"}}), HasSubstr("when"));
  EXPECT_THAT(background_complaint({{"gpus", 1}, {"max_wait_s", 5}}), HasSubstr("max_wait_s"));
  EXPECT_THAT(parse_exec_request(Json{{"run_id", "r-abcdefghijklmnop"}, {"sandbox_name", "auto"}})
                  .error()
                  .message,
              HasSubstr("sandbox_name"));
}

TEST(Needs, AQueuedRunSaysWhereItStands) {
  BackgroundResponse response{.sandbox = "gpu1"};
  response.status.state = RunState::Queued;
  response.status.queue =
      QueuePlace{.ahead = 2, .since_ms = 5000, .holders = {"GPU 0 is held by alice"}};
  response.chosen = Chosen{.sandbox = "gpu1",
                           .idle_score = 0.5,
                           .why = "the only one that fits",
                           .ruled_out = {{"gpu2", "has no GPU, 1 wanted"}}};
  const Json json = to_json(response);
  EXPECT_EQ(json["status"], "queued");
  EXPECT_EQ(json["state"], "queued");
  EXPECT_EQ(json["queue"],
            (Json{{"ahead", 2}, {"since", 5.0}, {"holders", {"GPU 0 is held by alice"}}}));
  EXPECT_EQ(json["gpus"], Json::array());
  EXPECT_EQ(json["chosen"]["idle_score"], 0.5);
  EXPECT_EQ(json["chosen"]["ruled_out"][0]["sandbox"], "gpu2");
}

TEST(Needs, ARunThatHasGpusSaysWhich) {
  BackgroundResponse response{.sandbox = "gpu1"};
  response.status.state = RunState::Running;
  response.status.gpus = {{.index = 3, .uuid = "GPU-3"}};
  const Json json = to_json(response);
  EXPECT_EQ(json["status"], "started");
  EXPECT_EQ(json["gpus"], Json::array({Json{{"index", 3}, {"uuid", "GPU-3"}}}));
  EXPECT_TRUE(json["queue"].is_null());
  EXPECT_TRUE(json["chosen"].is_null());
  TaskInfo task{.status = response.status};
  EXPECT_EQ(to_json(task)["gpus"][0]["uuid"], "GPU-3");
}

TEST(GpusJson, HasEveryMachineAndItsError) {
  MachineSeen dead;
  dead.spec.name = "dead";
  dead.seen.error = Error{Errc::Unreachable, "no route", ""};
  MachineSeen good{.spec = {}, .seen = seen_machine(1)};
  good.spec.name = "good";
  const Json json = gpus_json({.machines = {dead, good}});
  EXPECT_EQ(json["machines"][0]["error"]["message"], "no route");
  EXPECT_FALSE(json["machines"][0].contains("gpu"));
  EXPECT_TRUE(json["machines"][1]["error"].is_null());
  EXPECT_EQ(json["machines"][1]["gpu"][0]["uuid"], "GPU-0");
}

}  // namespace
}  // namespace yonder::ops
