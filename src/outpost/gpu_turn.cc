#include "outpost/gpu_turn.h"

#include <algorithm>
#include <set>

#include "base/clean_text.h"
#include "base/gpu_free.h"
#include "base/text.h"
#include "base/user_name.h"
#include "outpost/gpu_times.h"

namespace yonder::outpost {
namespace {

bool suits(const resources::Gpu& gpu, std::uint64_t memory_mb) {
  return resources::why_never_free(gpu, memory_mb).empty();
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool wants(const wire::GpuClaim& claim, const std::string& uuid) {
  return claim.suitable.empty() || contains(claim.suitable, uuid);
}

bool overlaps(const wire::GpuClaim& a, const wire::GpuClaim& b) {
  return a.suitable.empty() || b.suitable.empty() ||
         std::any_of(a.suitable.begin(), a.suitable.end(),
                     [&](const std::string& uuid) { return contains(b.suitable, uuid); });
}

// Who cannot see the GPUs does not know which he wants, and holds up nobody for long.
bool lets_others_pass(const SeenClaim& seen, std::int64_t now_ms) {
  const std::int64_t long_ago = to_milliseconds(gpu_times().decision);
  // A clock that was put back must not make him one who has just come.
  const std::int64_t came = seen.claim.since_ms;
  const bool just_came = came > now_ms - long_ago && came < now_ms + long_ago;
  return seen.waits() && seen.claim.suitable.empty() && !just_came;
}

std::uint64_t memory_of(const resources::Gpu& gpu) {
  return gpu.memory_total_bytes.value.value_or(0);
}

bool came_lately(const wire::GpuClaim& claim, std::int64_t now_ms) {
  // A time in the future says nothing of its age: then it is not passed.
  return claim.since_ms <= now_ms && now_ms - claim.since_ms < to_milliseconds(gpu_times().passing);
}

// Whether what suits a waiting claim is kept for it. `gpus` has its leases marked.
bool keeps_gpus(const wire::GpuClaim& claim, const std::vector<resources::Gpu>& gpus,
                std::int64_t now_ms) {
  if (claim.suitable.empty()) return true;
  std::uint64_t free = 0;
  std::uint64_t leased = 0;
  for (const auto& gpu : gpus) {
    if (!wants(claim, gpu.uuid)) continue;
    if (gpu.lease) {
      ++leased;
    } else if (resources::why_not_free(gpu, claim.gpu_memory_mb).empty()) {
      ++free;
    }
  }
  if (free >= claim.gpus) return true;  // it is about to take them
  return free + leased >= claim.gpus && !came_lately(claim, now_ms);
}

// The earlier claims that a claim has to leave GPUs to.
std::vector<SeenClaim> keepers_before(std::uint64_t number, const std::vector<SeenClaim>& claims,
                                      const std::vector<resources::Gpu>& gpus,
                                      std::int64_t now_ms) {
  std::vector<SeenClaim> keepers;
  for (const auto& other : claims) {
    if (!other.waits() || other.number >= number) continue;
    if (keeps_gpus(other.claim, gpus, now_ms)) keepers.push_back(other);
  }
  return keepers;
}

// "is kept for run r-... of alice, which came before"; empty when it is kept for none.
std::string why_kept(const std::vector<SeenClaim>& keepers, const std::string& uuid) {
  std::string why;
  std::size_t more = 0;
  for (const auto& keeper : keepers) {
    if (!wants(keeper.claim, uuid)) continue;
    if (!why.empty()) {
      ++more;
      continue;
    }
    why = concat("is kept for run ", printable(keeper.claim.run_id), " of ",
                 user_name(keeper.owner), ", which came before");
  }
  return more == 0 ? why : concat(why, ", and for ", more, " more");
}

}  // namespace

std::vector<std::string> suitable_gpus(const std::vector<resources::Gpu>& gpus,
                                       std::uint64_t memory_mb) {
  std::vector<std::string> found;
  for (const auto& gpu : gpus) {
    if (suits(gpu, memory_mb)) found.push_back(gpu.uuid);
  }
  return found;
}

void mark_leases(std::vector<resources::Gpu>& gpus, const std::vector<SeenClaim>& claims,
                 uid_t asker) {
  for (const auto& seen : claims) {
    for (const auto& held : seen.claim.held) {
      for (auto& gpu : gpus) {
        if (gpu.uuid != held.uuid) continue;
        gpu.lease = resources::Lease{.run_id = seen.claim.run_id,
                                     .user = user_name(seen.owner),
                                     .since_ms = seen.claim.since_ms,
                                     .mine = seen.owner == asker};
      }
    }
  }
}

std::vector<resources::Waiting> queue_of(const std::vector<SeenClaim>& claims, uid_t asker,
                                         const std::vector<resources::Gpu>& gpus,
                                         std::int64_t now_ms) {
  std::vector<resources::Waiting> queue;
  for (const auto& seen : claims) {
    if (!seen.waits()) continue;
    queue.push_back(
        {.run_id = seen.claim.run_id,
         .user = user_name(seen.owner),
         .gpus = seen.claim.gpus,
         .gpu_memory_mb = seen.claim.gpu_memory_mb,
         .since_ms = seen.claim.since_ms,
         .mine = seen.owner == asker,
         .holds_back = !lets_others_pass(seen, now_ms) && keeps_gpus(seen.claim, gpus, now_ms)});
  }
  return queue;
}

std::vector<SeenClaim> in_line(std::vector<SeenClaim> claims, const std::string& run_id,
                               std::int64_t now_ms) {
  std::erase_if(claims, [&](const SeenClaim& seen) {
    return seen.claim.run_id == run_id || lets_others_pass(seen, now_ms);
  });
  return claims;
}

Turn decide_turn(std::uint64_t number, const wire::GpuClaim& mine,
                 const std::vector<SeenClaim>& claims, const resources::Gpus& gpus,
                 std::int64_t now_ms) {
  Turn turn;
  for (const auto& other : claims) {
    if (!other.waits() || other.number >= number || !overlaps(other.claim, mine)) continue;
    ++turn.ahead;
    if (other.claim.suitable.empty()) turn.others_undecided = true;
  }
  std::vector<resources::Gpu> list = gpus.list.value.value_or(std::vector<resources::Gpu>{});
  mark_leases(list, claims, 0);
  const auto keepers = keepers_before(number, claims, list, now_ms);
  std::vector<resources::Gpu> free;
  for (const auto& gpu : list) {
    if (!suits(gpu, mine.gpu_memory_mb)) continue;
    std::string why = resources::why_not_free(gpu, mine.gpu_memory_mb);
    if (why.empty()) why = why_kept(keepers, gpu.uuid);
    if (why.empty()) free.push_back(gpu);
    turn.holders.push_back(concat(resources::name_of(gpu), " ", why.empty() ? "is free" : why));
  }
  if (free.size() < mine.gpus) return turn;
  // The smallest that do, so that the large ones stay for those who need them.
  std::stable_sort(free.begin(), free.end(), [](const auto& a, const auto& b) {
    return memory_of(a) != memory_of(b) ? memory_of(a) < memory_of(b) : a.index < b.index;
  });
  for (std::size_t i = 0; i < mine.gpus; ++i) {
    turn.take.push_back({.index = free[i].index,
                         .uuid = free[i].uuid,
                         .vendor = free[i].vendor,
                         .device = free[i].device});
  }
  return turn;
}

bool enough_unleased(const wire::GpuClaim& mine, const std::vector<SeenClaim>& claims) {
  if (mine.suitable.empty()) return true;
  std::set<std::string> taken;
  for (const auto& other : claims) {
    for (const auto& gpu : other.claim.held) taken.insert(gpu.uuid);
  }
  const auto left = std::count_if(mine.suitable.begin(), mine.suitable.end(),
                                  [&](const std::string& uuid) { return taken.count(uuid) == 0; });
  return static_cast<std::uint64_t>(left) >= mine.gpus;
}

}  // namespace yonder::outpost
