#include "base/gpu_free.h"

#include <algorithm>
#include <vector>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/text.h"

namespace yonder::resources {
namespace {

constexpr std::uint64_t kMiB = 1024UL * 1024;
// A display, or a driver that keeps something loaded, needs a little and is no one's work.
constexpr std::uint64_t kIdleUtilization = 10;
constexpr std::uint64_t kIdleMemory = 1024 * kMiB;
constexpr std::uint64_t kIdleMemoryShare = 10;  // one tenth
constexpr std::size_t kUsersShown = 3;

std::string held_by(const Lease& lease) {
  return concat("is held by ", lease.user.empty() ? "somebody" : printable(lease.user), " (run ",
                printable(lease.run_id), ", since ", utc_time(lease.since_ms), ")");
}

std::string used_by(const std::vector<GpuProcess>& processes) {
  std::vector<std::string> names;
  for (const auto& process : processes) {
    std::string name =
        process.command.empty() ? concat("process ", process.pid) : printable(process.command);
    if (!process.user.empty()) name += " of " + printable(process.user);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const std::size_t more = names.size() > kUsersShown ? names.size() - kUsersShown : 0;
  names.resize(names.size() - more);
  return concat("is used by ", join(names, ", "), more == 0 ? "" : concat(" and ", more, " more"));
}

// By something that the process list does not show: another container, another user's job.
std::string busy_unseen(const Gpu& gpu) {
  if (gpu.utilization_pct && *gpu.utilization_pct > kIdleUtilization) {
    return concat("is busy (", *gpu.utilization_pct, " %) with something that is not shown");
  }
  if (!gpu.utilization_pct && !gpu.memory_used_bytes) {
    return concat("may be in use: neither its utilization nor its memory is known: ",
                  printable(gpu.utilization_pct.why));
  }
  if (!gpu.memory_used_bytes || *gpu.memory_used_bytes <= kIdleMemory) return {};
  // What share that is may not be known; then it is much.
  if (gpu.memory_total_bytes &&
      *gpu.memory_used_bytes <= *gpu.memory_total_bytes / kIdleMemoryShare) {
    return {};
  }
  return concat("has ", human_bytes(*gpu.memory_used_bytes),
                " of its memory used by something that is not shown");
}

// Who comes first among those for whom it is kept.
std::string kept_for(const Gpus& gpus, const Gpu& gpu) {
  for (const auto& one : gpus.queue) {
    if (!one.holds_back || !why_never_free(gpu, one.gpu_memory_mb).empty()) continue;
    return concat("is for ", one.user.empty() ? "somebody" : printable(one.user),
                  one.mine ? " (you)" : "", ", who waits");
  }
  return {};
}

std::string unseen_leases(const Gpus& gpus) {
  return gpus.lease_problem.empty()
             ? ""
             : concat("leases cannot be seen: ", printable(gpus.lease_problem));
}

std::string too_little(const char* what, std::uint64_t bytes, std::uint64_t memory_mb) {
  if (bytes / kMiB >= memory_mb) return {};
  return concat("has ", human_bytes(bytes), " of memory", what, ", ", human_bytes(memory_mb * kMiB),
                " (", memory_mb, " MiB) wanted");
}

}  // namespace

std::string name_of(const Gpu& gpu) {
  return concat("GPU ", gpu.index);
}

std::string why_never_free(const Gpu& gpu, std::uint64_t memory_mb) {
  if (gpu.split) return "is split into MIG slices";
  if (!gpu.never.empty()) return "cannot be given to a run: " + printable(gpu.never);
  if (gpu.uuid.empty()) return "has no UUID by which it could be given to a run";
  if (memory_mb == 0) return {};
  if (!gpu.memory_total_bytes) {
    return concat("has an unknown amount of memory (", printable(gpu.memory_total_bytes.why),
                  "), so none can be asked of it");
  }
  return too_little("", *gpu.memory_total_bytes, memory_mb);
}

std::string why_not_free(const Gpu& gpu, std::uint64_t memory_mb) {
  if (std::string never = why_never_free(gpu, 0); !never.empty()) return never;
  if (gpu.lease) return held_by(*gpu.lease);
  if (!gpu.processes) {
    return "may be in use: its processes are not known: " + printable(gpu.processes.why);
  }
  if (!(*gpu.processes).empty()) return used_by(*gpu.processes);
  if (!gpu.trouble.empty()) return "is out of order: " + printable(gpu.trouble);
  if (std::string busy = busy_unseen(gpu); !busy.empty()) return busy;
  if (std::string never = why_never_free(gpu, memory_mb); !never.empty() || memory_mb == 0) {
    return never;
  }
  if (!gpu.memory_used_bytes) {
    return "has an unknown amount of free memory: " + printable(gpu.memory_used_bytes.why);
  }
  const std::uint64_t used = std::min(*gpu.memory_used_bytes, *gpu.memory_total_bytes);
  return too_little(" free", *gpu.memory_total_bytes - used, memory_mb);
}

std::string why_not_free_now(const Gpus& gpus, const Gpu& gpu, std::uint64_t memory_mb) {
  if (std::string why = why_not_free(gpu, memory_mb); !why.empty()) return why;
  if (const std::string unseen = unseen_leases(gpus); !unseen.empty()) {
    return "may be held: " + unseen;
  }
  return kept_for(gpus, gpu);
}

Measured<bool> is_free(const Gpus& gpus, const Gpu& gpu) {
  const std::string unseen = unseen_leases(gpus);
  if (why_not_free(gpu, 0).empty() && !unseen.empty()) return Measured<bool>::missing(unseen);
  return Measured<bool>::of(why_not_free_now(gpus, gpu, 0).empty());
}

}  // namespace yonder::resources
