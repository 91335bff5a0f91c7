#include "ops/sync_progress.h"

#include <cmath>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::ops {
namespace {

constexpr auto kWindow = std::chrono::seconds(5);
constexpr auto kLeast = std::chrono::milliseconds(300);

std::string time_left(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 120) return concat(whole, " s");
  if (whole < 7200) return concat(whole / 60, " min");
  return concat(whole / 3600, " h");
}

}  // namespace

SyncProgress SyncMeter::read(const sync::Progress& progress, Instant now) {
  SyncProgress result{.at = progress};
  // A new attempt counts anew.
  if (!samples_.empty() && progress.bytes_done < samples_.back().bytes) samples_.clear();
  if (progress.phase != sync::Phase::Copying) return result;
  while (samples_.size() > 1 && now - samples_[1].at > kWindow) samples_.pop_front();
  samples_.push_back({now, progress.bytes_done});
  const auto span = now - samples_.front().at;
  if (span < kLeast) return result;
  const auto bytes = static_cast<double>(progress.bytes_done - samples_.front().bytes);
  result.bytes_per_s = bytes / to_seconds(span);
  if (result.bytes_per_s > 0 && progress.bytes_total >= progress.bytes_done) {
    const auto left = static_cast<double>(progress.bytes_total - progress.bytes_done);
    result.left_s = left / result.bytes_per_s;
  }
  return result;
}

std::string sentence(const SyncProgress& progress) {
  const sync::Progress& at = progress.at;
  switch (at.phase) {
    case sync::Phase::Connecting: return at.reconnects > 0 ? "connecting again" : "connecting";
    case sync::Phase::Looking: return "comparing both sides";
    case sync::Phase::Finishing: return "finishing";
    case sync::Phase::Copying: break;
  }
  std::string text =
      concat(at.files_done, " of ", at.files_total, at.files_total == 1 ? " file, " : " files, ",
             human_bytes(at.bytes_done), " of ", human_bytes(at.bytes_total));
  if (progress.bytes_per_s > 0) {
    text += concat(", ", human_bytes(static_cast<unsigned long long>(progress.bytes_per_s)), "/s");
  }
  if (progress.left_s) text += concat(", ", time_left(*progress.left_s), " left");
  return text;
}

Json to_json(const SyncProgress& progress) {
  const sync::Progress& at = progress.at;
  return Json{{"text", sentence(progress)},
              {"phase", sync::name_of(at.phase)},
              {"files_done", at.files_done},
              {"files_total", at.files_total},
              {"bytes_done", at.bytes_done},
              {"bytes_total", at.bytes_total},
              {"bytes_per_s", std::round(progress.bytes_per_s)},
              {"left_s", progress.left_s ? Json(std::round(*progress.left_s)) : Json()},
              {"current_path", printable(at.current)},
              {"reconnects", at.reconnects}};
}

}  // namespace yonder::ops
