#include "cli/parse_needs.h"

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/parse_values.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kMostMiB = 1'000'000'000;  // a petabyte

Result<void> read(const char* option, const std::string& text, std::size_t most,
                  std::uint64_t& value) {
  if (text.empty()) return {};
  TRY_ASSIGN(value, parse_count(option, text, most));
  return {};
}

}  // namespace

Result<resources::Needs> to_needs(const RawOptions& raw) {
  resources::Needs needs{.labels = raw.labels};
  for (const auto& label : needs.labels) {
    if (label.empty()) return usage_error("--label: is empty", "give a label of the configuration");
  }
  TRY(read("--gpus", raw.gpus, resources::kMostGpusOfARun, needs.gpus));
  TRY(read("--gpu-memory", raw.gpu_memory, kMostMiB, needs.gpu_memory_mb));
  TRY(read("--memory", raw.memory, kMostMiB, needs.memory_mb));
  TRY(read("--disk", raw.disk, kMostMiB, needs.disk_mb));
  if (needs.gpu_memory_mb > 0 && needs.gpus == 0) {
    return usage_error("--gpu-memory goes only together with --gpus");
  }
  return needs;
}

Result<void> add_queue(const RawOptions& raw, const resources::Needs& needs, RunRequest& run) {
  if (!raw.when.empty() && raw.when != "now" && raw.when != "free") {
    return usage_error(concat("--when: there is no \"", printable(raw.when), "\""), "now or free");
  }
  run.gpu_queue = raw.when == "free";
  if (run.gpu_queue && needs.gpus == 0) {
    return usage_error("--when free waits for GPUs", "say how many with --gpus N");
  }
  if (raw.max_wait.empty()) return {};
  if (!run.gpu_queue) return usage_error("--max-wait goes only together with --when free");
  TRY_ASSIGN(run.gpu_queue_limit, parse_time_limit("--max-wait", raw.max_wait));
  return {};
}

}  // namespace yonder::cli
