#include "ops/transfers.h"

namespace yonder::ops {
namespace {

// How long a worker that nobody has seen may take to appear.
constexpr std::int64_t kComingUpMs = 30'000;

}  // namespace

TransferState judge_transfer(const store::TransferNote& note, bool worker_lives,
                             std::int64_t now_ms) {
  const bool open = note.status == "queued" || note.status == "running";
  if (!open || worker_lives) return {.status = note.status};
  const bool coming_up = note.status == "queued" && note.worker.pid == 0 &&
                         now_ms >= note.created_ms && now_ms - note.created_ms < kComingUpMs;
  if (coming_up) return {.status = note.status};
  return {.status = "failed", .stale = true};
}

}  // namespace yonder::ops
