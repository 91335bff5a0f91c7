#include "ops/silence.h"

#include "base/text.h"
#include "link/link_pool.h"

namespace yonder::ops {
namespace {

// A machine that comes back is reached in the background; where no process lives long enough for
// that, it is asked again after this time.
constexpr std::int64_t kSilentForMs = 120'000;
// Whoever fails sooner costs a caller less than leaving a machine out may.
constexpr auto kNoticeable = std::chrono::seconds(1);

bool is_linked(const Engine& engine, const SandboxSpec& spec) {
  const auto link = engine.links.existing(spec);
  return link && link->answers();
}

}  // namespace

std::string silence_target(const SandboxSpec& spec) {
  return concat(spec.name, "\n", spec.host, "\n", spec.user, "\n", spec.port);
}

bool is_silence(const Error& error, Duration took) {
  const bool unanswered = error.code == Errc::Unreachable || error.code == Errc::Timeout ||
                          error.code == Errc::LinkLost;
  return unanswered && took >= kNoticeable;
}

void note_silence(store::Store& store, const SandboxSpec& spec, const Error& error, Duration took) {
  if (!is_silence(error, took)) return;
  [[maybe_unused]] const bool noted =
      store.note_silent(silence_target(spec), wall_clock_ms()).has_value();
}

void Silence::look(Engine& engine, const std::vector<SandboxSpec>& specs) {
  silent_.clear();
  const std::int64_t now = wall_clock_ms();
  // Without a memory all are asked, and waited for.
  const auto noted = engine.store.silent_machines(now, kSilentForMs);
  if (!noted) return;
  for (const auto& spec : specs) {
    const auto found = noted->find(silence_target(spec));
    if (found == noted->end() || is_linked(engine, spec)) continue;
    silent_.emplace(spec.name, std::chrono::milliseconds(now - found->second));
  }
  of_all_ = !specs.empty() && silent_.size() == specs.size();
  if (of_all_) silent_.clear();
}

std::optional<Duration> Silence::of(const SandboxSpec& spec) const {
  const auto found = silent_.find(spec.name);
  if (found == silent_.end()) return std::nullopt;
  return found->second;
}

}  // namespace yonder::ops
