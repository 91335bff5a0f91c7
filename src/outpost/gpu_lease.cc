#include "outpost/gpu_lease.h"

#include <unistd.h>

#include <algorithm>

#include "base/clean_text.h"
#include "base/gpu_free.h"
#include "base/text.h"
#include "base/user_name.h"
#include "outpost/gpu_times.h"
#include "outpost/gpus.h"
#include "outpost/machine.h"

namespace yonder::outpost {
namespace {

// Of one who has other things to do, and comes again.
constexpr auto kShortPatience = std::chrono::milliseconds(300);
// Of those whose claims were cleared away along with ours.
constexpr auto kReturnTime = std::chrono::seconds(1);
constexpr auto kTouch = std::chrono::hours(1);

std::string gpus_in_words(std::uint64_t count) {
  return concat(count, count == 1 ? " GPU" : " GPUs");
}

// They will not come by waiting.
Error never(const resources::Gpus& gpus, const wire::GpuClaim& claim) {
  const auto& there = *gpus.list;
  std::vector<std::string> reasons;
  for (const auto& gpu : there) {
    const std::string why = resources::why_never_free(gpu, claim.gpu_memory_mb);
    if (!why.empty()) reasons.push_back(concat(resources::name_of(gpu), " ", why));
  }
  const std::string large =
      claim.gpu_memory_mb == 0 ? "" : concat(" of at least ", claim.gpu_memory_mb, " MiB");
  const std::string has =
      there.empty()     ? "this machine has no GPU"
      : reasons.empty() ? concat("this machine has only ", there.size())
                        : concat("of the ", gpus_in_words(there.size()), " here ",
                                 claim.suitable.empty() ? "none" : concat(claim.suitable.size()),
                                 " can ever be given to such a run: ", join(reasons, "; "));
  return Error{Errc::Unsupported, concat(gpus_in_words(claim.gpus), large, " wanted, and ", has),
               "nothing was run; want fewer or smaller ones, or choose another machine"};
}

}  // namespace

Result<GpuLease> GpuLease::enter(const std::string& run_id, const wire::StartRequest& spec) {
  GpuLease lease({.run_id = run_id,
                  .gpus = spec.gpus,
                  .gpu_memory_mb = spec.gpu_memory_mb,
                  .since_ms = wall_clock_ms(),
                  .boot_id = read_boot_id(),
                  .pid_ns = read_pid_namespace()});
  TRY_ASSIGN(const Fd lock, lease.lock(LeaseLock::ToChange, gpu_times().lock));
  remove_dead_claims(lease.place_);
  TRY_ASSIGN(OwnClaim own, OwnClaim::enter(lease.place_, lease.claim_));
  lease.own_.emplace(std::move(own));
  lease.touch_ = Deadline::after(kTouch);
  return lease;
}

// Whoever clears old files away knows nothing of us: the whole place may be gone, or our claim. Who
// has the lock of this place, at its path and with our claim in it, sees what all others see.
Result<Fd> GpuLease::lock(LeaseLock how, Duration patience) {
  const Deadline deadline = Deadline::after(patience);
  while (true) {
    if (!place_ || !is_lease_place(place_, lease_directory())) {
      TRY_ASSIGN(place_, open_lease_place(lease_directory()));
      watch_.watch_claims(lease_directory());
    }
    auto lock = lock_leases(place_, how, deadline);
    if (!is_lease_place(place_, lease_directory())) {
      if (!deadline.expired()) continue;
      return Error{
          Errc::Conflict,
          printable(lease_directory()) + " is removed again and again: no GPU can be leased",
          "it must stay; YONDER_GPU_LEASES names another"};
    }
    if (!lock || !own_ || own_->is_in(place_)) return lock;
    if (how == LeaseLock::ToChange) {
      TRY(enter_again());
      return lock;
    }
    how = LeaseLock::ToChange;
  }
}

// In the same place of the line, if nobody has got its number meanwhile.
Result<void> GpuLease::enter_again() {
  TRY_ASSIGN(OwnClaim again, OwnClaim::enter(place_, claim_, own_->number()));
  own_.emplace(std::move(again));
  watches_own_ = false;
  others_return_ = Deadline::after(kReturnTime);
  return {};
}

Result<Turn> GpuLease::look() {
  {
    // Asking the tool takes its time; those who cannot be next need not.
    TRY_ASSIGN(const Fd lock, this->lock(LeaseLock::ToLook, gpu_times().lock));
    TRY_ASSIGN(std::vector<SeenClaim> all, live_claims(place_));
    const auto claims = in_line(std::move(all), claim_.run_id, wall_clock_ms());
    Turn turn = decide_turn(own_->number(), claim_, claims, seen_, wall_clock_ms());
    const bool behind_others = turn.ahead > 0 && turn.take.empty() && !seen_is_old_.expired();
    if (!enough_unleased(claim_, claims) || (!claim_.suitable.empty() && behind_others)) {
      turn.take.clear();  // what was seen may be old, and nothing is written down
      return turn;
    }
  }
  seen_ = look_at_gpus(gpu_times().tool);
  seen_is_old_ = Deadline::after(gpu_times().decision);
  auto turn = decide();
  if (turn) {
    blind_ = Deadline::never();
  } else {
    see_nothing();
  }
  return turn;
}

Result<Turn> GpuLease::decide() {
  const resources::Gpus& gpus = seen_;
  if (!gpus.list) {
    return Error{Errc::Conflict, "the GPUs cannot be seen now: " + gpus.list.why,
                 "nothing was run"};
  }
  wire::GpuClaim wanted = claim_;
  wanted.suitable = suitable_gpus(*gpus.list, claim_.gpu_memory_mb);
  if (wanted.suitable.size() < wanted.gpus) return never(gpus, wanted);
  TRY_ASSIGN(const Fd lock, this->lock(LeaseLock::ToChange, gpu_times().lock));
  TRY_ASSIGN(std::vector<SeenClaim> claims, live_claims(place_));
  const std::int64_t now = wall_clock_ms();
  Turn turn = decide_turn(own_->number(), wanted, in_line(std::move(claims), claim_.run_id, now),
                          gpus, now);
  if (!others_return_.expired()) {
    turn.take.clear();
    turn.others_undecided = true;
  }
  const wire::GpuClaim still_waiting = wanted;
  wanted.held = turn.take;
  if (!turn.take.empty()) wanted.since_ms = wall_clock_ms();
  TRY(write(std::move(wanted)));
  if (!turn.take.empty() && !is_seen()) {
    turn.take.clear();  // cleared away in this moment: others may have decided without it
    TRY(write(still_waiting));
  }
  return turn;
}

// Only what has changed: all who wait are woken by it.
Result<void> GpuLease::write(wire::GpuClaim claim) {
  if (wire::encode(claim) != wire::encode(claim_)) TRY(own_->write(claim));
  claim_ = std::move(claim);
  return {};
}

bool GpuLease::is_seen() const {
  return is_lease_place(place_, lease_directory()) && own_->is_in(place_);
}

// Who cannot see the GPUs for long does not keep them from others: as if it had never looked.
void GpuLease::see_nothing() {
  if (blind_.is_never()) blind_ = Deadline::after(gpu_times().decision);
  if (!blind_.expired() || claim_.suitable.empty()) return;
  const auto lock = this->lock(LeaseLock::ToChange, kShortPatience);
  wire::GpuClaim blind = claim_;
  blind.suitable.clear();
  if (lock) [[maybe_unused]]
    const bool written = write(std::move(blind)).has_value();
}

// Without the lock, should somebody hold it for long, it is not noted: then the GPU's own process
// list must show the command.
void GpuLease::note_command(const wire::ProcessKey& command) {
  claim_.command = command;
  const auto lock = lock_leases(place_, LeaseLock::ToChange, Deadline::after(gpu_times().lock));
  if (lock) [[maybe_unused]]
    const bool noted = own_->write(claim_).has_value();
}

void GpuLease::touch() {
  if (!touch_.expired()) return;
  own_->touch();
  touch_ = Deadline::after(kTouch);
}

Result<std::string> GpuLease::keep() {
  std::string said;
  if (!is_seen()) {
    TRY_ASSIGN(const Fd lock, this->lock(LeaseLock::ToChange, kShortPatience));
    TRY_ASSIGN(said, who_came_between());
  }
  touch();
  if (!watches_own_) watch_.watch_own(lease_directory(), own_->file());
  watches_own_ = true;
  return said;
}

Result<std::string> GpuLease::who_came_between() {
  std::string said = concat("yonder: somebody has removed the GPU lease of this run from ",
                            printable(lease_directory()), "; it was put back");
  TRY_ASSIGN(const std::vector<SeenClaim> claims, live_claims(place_));
  for (const auto& other : claims) {
    if (other.claim.run_id == claim_.run_id) continue;
    for (const auto& gpu : other.claim.held) {
      const bool ours = std::any_of(claim_.held.begin(), claim_.held.end(),
                                    [&](const auto& held) { return held.uuid == gpu.uuid; });
      if (!ours) continue;
      said += concat(", but run ", printable(other.claim.run_id), " of ", user_name(other.owner),
                     " was given GPU ", gpu.index, " meanwhile");
    }
  }
  return said + "\n";
}

void GpuLease::leave() {
  if (own_) own_->remove(place_);
  own_.reset();
}

void give_gpus(wire::StartRequest& spec, const std::vector<wire::GivenGpu>& gpus) {
  if (gpus.empty()) return;
  std::vector<std::string> nvidia;
  std::vector<std::string> amd;
  std::vector<std::string> numbers;  // of those that are left once the others are hidden
  for (const auto& gpu : gpus) {
    const bool is_amd = gpu.vendor == "amd";
    if (is_amd) numbers.push_back(std::to_string(numbers.size()));
    (is_amd ? amd : nvidia).push_back(gpu.device.empty() ? gpu.uuid : gpu.device);
  }
  // Set even to nothing: HIP looks here too, and a login profile may have said something else.
  spec.env["CUDA_VISIBLE_DEVICES"] = join(nvidia, ",");
  if (amd.empty()) return;
  spec.env["ROCR_VISIBLE_DEVICES"] = join(amd, ",");
  spec.env["HIP_VISIBLE_DEVICES"] = join(numbers, ",");
  spec.env["GPU_DEVICE_ORDINAL"] = join(numbers, ",");
}

void add_leases(resources::Gpus& gpus) {
  if (!gpus.list || gpus.list.value->empty()) return;
  const auto fill = [&]() -> Result<void> {
    TRY_ASSIGN(const Fd place, open_lease_place(lease_directory()));
    TRY_ASSIGN(const Fd lock,
               lock_leases(place, LeaseLock::ToLook, Deadline::after(std::chrono::seconds(1))));
    TRY_ASSIGN(const std::vector<SeenClaim> claims, live_claims(place));
    mark_leases(*gpus.list.value, claims, ::geteuid());
    gpus.queue = queue_of(claims, ::geteuid(), *gpus.list, wall_clock_ms());
    return {};
  };
  if (const auto filled = fill(); !filled) gpus.lease_problem = filled.error().message;
}

}  // namespace yonder::outpost
