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
  // Becomes readable when claims have come or gone.
  const Fd& changes() const { return changes_; }
  void drain_changes() const;
  void touch() const { own_->touch(); }
  void leave();

 private:
  GpuLease(Fd place, Fd changes, OwnClaim own, wire::GpuClaim claim)
      : place_(std::move(place)),
        changes_(std::move(changes)),
        own_(std::move(own)),
        claim_(std::move(claim)) {}
  Result<Turn> decide();

  Fd place_;
  Fd changes_;
  std::optional<OwnClaim> own_;
  wire::GpuClaim claim_;
  resources::Gpus seen_;  // by the last look
};

// The variables by which programs are told which GPUs to use.
inline constexpr std::array<const char*, 4> kGpuVariables{
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};
// What the command must see to use those GPUs and no others.
void give_gpus(wire::StartRequest& spec, const std::vector<wire::GivenGpu>& gpus);

// For whoever only looks: fills in the leases and the queue.
void add_leases(resources::Gpus& gpus);

}  // namespace yonder::outpost
