#include "resources/fit.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/gpu_free.h"
#include "base/text.h"

namespace yonder::resources {
namespace {

constexpr std::uint64_t kMiB = 1024UL * 1024;

std::string amount(std::uint64_t bytes) {
  return concat(human_bytes(bytes),
                bytes >= 1024 * kMiB ? concat(" (", bytes / kMiB, " MiB)") : "");
}

std::string gpu_count(std::uint64_t count) {
  return concat(count, count == 1 ? " GPU" : " GPUs");
}

// `what` as in "of memory available".
void compare(Reasons& reasons, const Count& there, std::uint64_t wanted_mb, const char* what) {
  if (wanted_mb == 0) return;
  if (!there) {
    reasons.push_back(concat("not measured: how much ", what, ": ", printable(there.why)));
  } else if (*there / kMiB < wanted_mb) {
    reasons.push_back(concat(amount(*there), " ", what, ", ", amount(wanted_mb * kMiB), " wanted"));
  }
}

const Disk* disk_for_work(const MachineFacts& facts) {
  const auto found = std::find_if(facts.disks.begin(), facts.disks.end(),
                                  [](const Disk& disk) { return disk.role == "work"; });
  return found == facts.disks.end() ? nullptr : &*found;
}

template <class Why>
Reasons judge_gpus(const MachineFacts& facts, const Needs& needs, const char* state,
                   const Why& why_not) {
  if (needs.gpus == 0) return {};
  if (!facts.gpus.list) {
    return {concat("not measured: GPUs: ", printable(facts.gpus.list.why))};
  }
  const auto& gpus = *facts.gpus.list;
  if (gpus.size() < needs.gpus) {
    return {concat("has ", gpus.empty() ? "no GPU" : gpu_count(gpus.size()), ", ", needs.gpus,
                   " wanted")};
  }
  if (!facts.gpus.lease_problem.empty()) {
    return {concat("GPUs cannot be reserved there: ", printable(facts.gpus.lease_problem))};
  }
  std::vector<std::string> taken;
  for (const auto& gpu : gpus) {
    const std::string why = why_not(gpu);
    if (!why.empty()) taken.push_back(concat(name_of(gpu), " ", why));
  }
  const std::uint64_t good = gpus.size() - taken.size();
  if (good >= needs.gpus) return {};
  return {concat(good == 0 ? "no GPU" : concat("only ", gpu_count(good)),
                 good > 1 ? " are " : " is ", state, ", ", needs.gpus,
                 " wanted: ", join(taken, ", "))};
}

void append(Reasons& all, Reasons more) {
  for (auto& reason : more) all.push_back(std::move(reason));
}

}  // namespace

Reasons why_labels_lack(const std::vector<std::string>& labels,
                        const std::vector<std::string>& wanted) {
  Reasons reasons;
  for (const auto& label : wanted) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      reasons.push_back(concat("has no label '", printable(label), "'"));
    }
  }
  return reasons;
}

std::string missing_directory(const MachineFacts& facts) {
  const Disk* disk = disk_for_work(facts);
  return disk == nullptr ? "" : printable(disk->absent);
}

Reasons why_room_lacks(const MachineFacts& facts, const Needs& needs) {
  Reasons reasons;
  compare(reasons, facts.memory.available_bytes, needs.memory_mb, "of memory available");
  if (const std::string absent = missing_directory(facts); !absent.empty()) {
    return {"commands cannot start there: " + absent};
  }
  const Disk* disk = disk_for_work(facts);
  const Count free = disk != nullptr ? disk->free_bytes : Count::missing("no answer about it");
  compare(reasons, free, needs.disk_mb, "of disk free where commands start");
  return reasons;
}

Reasons why_gpus_lack(const MachineFacts& facts, const Needs& needs) {
  return judge_gpus(facts, needs, "free", [&](const Gpu& gpu) {
    return why_not_free_now(facts.gpus, gpu, needs.gpu_memory_mb);
  });
}

Reasons why_gpus_never_serve(const MachineFacts& facts, const Needs& needs) {
  return judge_gpus(facts, needs, "fit for it",
                    [&](const Gpu& gpu) { return why_never_free(gpu, needs.gpu_memory_mb); });
}

Reasons why_not_fit(const MachineFacts& facts, const std::vector<std::string>& labels,
                    const Needs& needs, bool may_wait) {
  Reasons reasons = why_labels_lack(labels, needs.labels);
  append(reasons, may_wait ? why_gpus_never_serve(facts, needs) : why_gpus_lack(facts, needs));
  append(reasons, why_room_lacks(facts, needs));
  return reasons;
}

}  // namespace yonder::resources
