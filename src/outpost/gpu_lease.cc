#include "outpost/gpu_lease.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "outpost/gpus.h"
#include "outpost/lease_place.h"
#include "outpost/machine.h"

namespace yonder::outpost {
namespace {

constexpr auto kLockPatience = std::chrono::seconds(5);
constexpr auto kToolLimit = std::chrono::seconds(10);

// For want of it the waiting looks again from time to time.
Fd watch_claims() {
  Fd changes(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (changes) {
    // A supervisor that is killed closes its claim, which it had open for writing.
    ::inotify_add_watch(changes.get(), lease_directory().c_str(),
                        IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE | IN_MOVED_TO | IN_ONLYDIR);
  }
  return changes;
}

Error never(const resources::Gpus& gpus, const wire::GpuClaim& claim) {
  const std::size_t there = gpus.list.value ? gpus.list.value->size() : 0;
  const std::string large =
      claim.gpu_memory_mb == 0 ? "" : concat(" of at least ", claim.gpu_memory_mb, " MiB");
  return Error{
      Errc::Unsupported,
      concat(claim.gpus, claim.gpus == 1 ? " GPU" : " GPUs", large, " wanted, and ",
             claim.suitable.size(), " of the ", there, " GPUs here could ever be given to a run"),
      "nothing was run; want fewer or smaller ones, or choose another machine"};
}

}  // namespace

Result<GpuLease> GpuLease::enter(const std::string& run_id, const wire::StartRequest& spec) {
  TRY_ASSIGN(Fd place, open_lease_place(lease_directory()));
  Fd changes = watch_claims();
  wire::GpuClaim claim{.run_id = run_id,
                       .gpus = spec.gpus,
                       .gpu_memory_mb = spec.gpu_memory_mb,
                       .since_ms = wall_clock_ms(),
                       .boot_id = read_boot_id(),
                       .pid_ns = read_pid_namespace()};
  TRY_ASSIGN(const Fd lock,
             lock_leases(place, LeaseLock::ToChange, Deadline::after(kLockPatience)));
  remove_dead_claims(place);
  TRY_ASSIGN(OwnClaim own, OwnClaim::enter(place, claim));
  return GpuLease(std::move(place), std::move(changes), std::move(own), std::move(claim));
}

Result<Turn> GpuLease::look() {
  if (!claim_.suitable.empty()) {
    // Asking the tool takes its time; those who cannot be next need not.
    TRY_ASSIGN(const Fd lock,
               lock_leases(place_, LeaseLock::ToLook, Deadline::after(kLockPatience)));
    TRY_ASSIGN(const std::vector<SeenClaim> claims, live_claims(place_));
    if (!may_have_turn(own_->number(), claim_, claims)) {
      return decide_turn(own_->number(), claim_, claims, seen_);
    }
  }
  seen_ = look_at_gpus(kToolLimit);
  return decide();
}

Result<Turn> GpuLease::decide() {
  const resources::Gpus& gpus = seen_;
  if (!gpus.list) {
    return Error{Errc::Conflict, "the GPUs cannot be seen now: " + gpus.list.why,
                 "nothing was run"};
  }
  TRY_ASSIGN(const Fd lock,
             lock_leases(place_, LeaseLock::ToChange, Deadline::after(kLockPatience)));
  TRY_ASSIGN(const std::vector<SeenClaim> claims, live_claims(place_));
  wire::GpuClaim wanted = claim_;
  wanted.suitable = suitable_gpus(*gpus.list, claim_.gpu_memory_mb);
  if (wanted.suitable.size() < wanted.gpus) return never(gpus, wanted);
  Turn turn = decide_turn(own_->number(), wanted, claims, gpus);
  wanted.held = turn.take;
  if (!turn.take.empty()) wanted.since_ms = wall_clock_ms();
  TRY(own_->write(wanted));
  claim_ = std::move(wanted);
  return turn;
}

// Without the lock, should somebody hold it for long, it is not noted: then the GPU's own process
// list must show the command.
void GpuLease::note_command(const wire::ProcessKey& command) {
  claim_.command = command;
  const auto lock = lock_leases(place_, LeaseLock::ToChange, Deadline::after(kLockPatience));
  if (lock) [[maybe_unused]]
    const bool noted = own_->write(claim_).has_value();
}

void GpuLease::drain_changes() const {
  std::array<char, 4096> events{};
  while (changes_ && ::read(changes_.get(), events.data(), events.size()) > 0) {
  }
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
    gpus.queue = queue_of(claims, ::geteuid());
    return {};
  };
  if (const auto filled = fill(); !filled) gpus.lease_problem = filled.error().message;
}

}  // namespace yonder::outpost
