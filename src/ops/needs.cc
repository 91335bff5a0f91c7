#include "ops/needs.h"

#include "base/text.h"
#include "ops/schema.h"

namespace yonder::ops {
namespace {

constexpr std::uint64_t kMostMiB = 1'000'000'000;  // a petabyte
constexpr double kMaxWaitSeconds = 365.0 * 24 * 3600;

std::uint64_t count(Arguments& in, const char* name, std::uint64_t most) {
  const std::uint64_t value = in.optional_count(name).value_or(0);
  if (value > most) in.fail(name, concat("must be at most ", most));
  return value;
}

}  // namespace

resources::Needs parse_needs(Arguments& in) {
  resources::Needs needs{.gpus = count(in, "gpus", resources::kMostGpusOfARun),
                         .gpu_memory_mb = count(in, "gpu_memory_mb", kMostMiB),
                         .memory_mb = count(in, "memory_mb", kMostMiB),
                         .disk_mb = count(in, "disk_mb", kMostMiB),
                         .labels = in.list("labels")};
  if (needs.gpu_memory_mb > 0 && needs.gpus == 0) {
    in.fail("gpu_memory_mb", "goes only together with gpus");
  }
  for (const auto& label : needs.labels) {
    if (label.empty()) in.fail("labels", "must not have an empty one");
  }
  return needs;
}

bool asks_for_anything(const resources::Needs& needs) {
  return needs.gpus > 0 || needs.memory_mb > 0 || needs.disk_mb > 0 || !needs.labels.empty();
}

Json needs_properties() {
  return Json{
      {"gpus", with_default(typed("integer", "Free GPUs, reserved for this run."), 0)},
      {"gpu_memory_mb", with_default(typed("integer", "Free MiB on each of them."), 0)},
      {"memory_mb", with_default(typed("integer", "MiB that must be available."), 0)},
      {"disk_mb", with_default(typed("integer", "MiB that must be free where it starts."), 0)},
      {"labels", list_of(Json{{"type", "string"}}, "Labels that the sandbox must have.")}};
}

void parse_queue(Arguments& in, const resources::Needs& needs, RunRequest& run) {
  const std::string when = in.text("when", "now");
  const double limit = in.number("max_wait_s", 0, 0, kMaxWaitSeconds);
  run.gpu_queue = when == "free";
  if (when != "now" && when != "free") in.fail("when", "must be \"now\" or \"free\"");
  if (run.gpu_queue && needs.gpus == 0) {
    in.fail("when", "\"free\" waits for GPUs", "say how many with gpus");
  }
  if (limit > 0 && !run.gpu_queue) {
    in.fail("max_wait_s", "goes only together with when: \"free\"");
  }
  if (limit > 0) {
    run.gpu_queue_limit =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(limit));
  }
}

Json queue_properties() {
  Json when = with_default(typed("string", "free: queue it until its GPUs are free."), "now");
  when["enum"] = Json::array({"now", "free"});
  return Json{
      {"when", when},
      {"max_wait_s", with_default(typed("number", "Give up the queue after that; 0: never."), 0)}};
}

Json queue_json(const RunStatus& status) {
  if (!status.queue) return {};
  return Json{{"ahead", status.queue->ahead},
              {"since", static_cast<double>(status.queue->since_ms) / 1000},
              {"holders", status.queue->holders}};
}

Json queue_schema() {
  return Json{{"type", Json::array({"object", "null"})},
              {"description", "While it waits for GPUs: ahead, since_ms, holders."}};
}

Json given_gpus_json(const RunStatus& status) {
  Json all = Json::array();
  for (const auto& gpu : status.gpus) all.push_back({{"index", gpu.index}, {"uuid", gpu.uuid}});
  return all;
}

Json given_gpus_schema() {
  return list_of(object_schema({{"index", typed("integer", "As the machine counts.")},
                                {"uuid", typed("string", "In CUDA_VISIBLE_DEVICES.")}},
                               {"index", "uuid"}),
                 "That are reserved for it.");
}

}  // namespace yonder::ops
