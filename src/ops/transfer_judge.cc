#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "ops/transfers.h"

namespace yonder::ops {
namespace {

// How long a worker that nobody has seen may take to appear.
constexpr std::int64_t kComingUpMs = 30'000;

}  // namespace

TransferState judge_transfer(const store::TransferNote& note, Sight worker, std::int64_t now_ms) {
  const bool open = note.status == "queued" || note.status == "running";
  if (!open || worker == Sight::Lives) return {.status = note.status};
  if (worker == Sight::Elsewhere) {
    return {.status = "unknown", .silent_ms = std::max<std::int64_t>(0, now_ms - note.updated_ms)};
  }
  const bool coming_up = note.status == "queued" && note.worker.pid == 0 &&
                         now_ms >= note.created_ms && now_ms - note.created_ms < kComingUpMs;
  if (coming_up) return {.status = note.status};
  return {.status = "failed", .stale = true};
}

std::string where_it_is(const store::TransferNote& note, const TransferState& state) {
  return concat("its worker is process ", note.worker.pid, " on ", printable(note.worker.host),
                " (or in a container there), which cannot be seen from here; it last wrote ",
                state.silent_ms / 1000, " s ago");
}

}  // namespace yonder::ops
