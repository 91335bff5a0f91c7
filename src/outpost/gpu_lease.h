#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "outpost/gpu_claims.h"
#include "outpost/gpu_turn.h"
#include "outpost/lease_place.h"
#include "outpost/lease_watch.h"
#include "wire/messages.h"

namespace yonder::outpost {

// The GPUs of one run, from the moment it wants them. Held by its supervisor, to the end of the
// last process of the run.
class GpuLease {
 public:
  // Takes a number. From here on nobody who comes later goes first.
  static Result<GpuLease> enter(const std::string& run_id, const wire::StartRequest& spec);

  // Takes the GPUs if it is this run's turn: then there are some to take. An error of code
  // Unsupported: they can never be had here; any other: they cannot be seen now.
  Result<Turn> look();

  const std::vector<wire::GivenGpu>& given() const { return claim_.held; }
  std::int64_t since_ms() const { return claim_.since_ms; }

  // By the command's process, before its first instruction.
  void note_command(const wire::ProcessKey& command);
  // By the supervisor, which may have to write it again.
  void know_command(const wire::ProcessKey& command) { claim_.command = command; }

  // While it waits: wakes at changes of claims, and when the file appears.
  void wake_for(const std::string& directory, const std::string& file) {
    watch_.watch_for(directory, file);
  }
  // Becomes readable when there may be changes.
  const Fd& changes() const { return watch_.events(); }
  // Takes them. True when this claim has reason to look again.
  bool drain_changes() const { return watch_.drain(own_ ? own_->name() : ""); }
  // Files that nobody touches are cleared away after a month.
  void touch();

  // While it holds, from the first moment on and at changes: puts the claim back if somebody has
  // cleared it away, and returns what is to be said about it, or nothing.
  Result<std::string> keep();
  void leave();

 private:
  explicit GpuLease(wire::GpuClaim claim) : claim_(std::move(claim)) {}
  Result<Fd> lock(LeaseLock how, Duration patience);
  Result<void> enter_again();
  Result<Turn> decide();
  Result<void> write(wire::GpuClaim claim);
  bool is_seen() const;
  void see_nothing();
  Result<std::string> who_came_between();

  Fd place_;
  LeaseWatch watch_;
  bool watches_own_ = false;
  Deadline touch_ = Deadline::never();
  Deadline others_return_ = Deadline::after(Duration::zero());
  std::optional<OwnClaim> own_;
  wire::GpuClaim claim_;
  resources::Gpus seen_;  // by the last look
  Deadline seen_is_old_ = Deadline::after(Duration::zero());
  Deadline blind_ = Deadline::never();  // when it will have seen nothing for too long
};

// The variables by which programs are told which GPUs to use.
inline constexpr std::array<const char*, 4> kGpuVariables{
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};
// What the command must see to use those GPUs and no others.
void give_gpus(wire::StartRequest& spec, const std::vector<wire::GivenGpu>& gpus);

// For whoever only looks: fills in the leases and the queue.
void add_leases(resources::Gpus& gpus);

}  // namespace yonder::outpost
