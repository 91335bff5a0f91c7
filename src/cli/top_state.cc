#include "cli/top_state.h"

#include <algorithm>

namespace yonder::cli {
namespace {

// Longer than a machine far away takes when all is well.
constexpr auto kUsual = std::chrono::seconds(3);

void push(TopHistory& history, std::optional<std::uint64_t> value) {
  history.push_back(value);
  if (history.size() > kTopSamples) history.pop_front();
}

// Also those that are gone get their gap, and are forgotten when nothing else is left of them.
void push_all(TopMachine& machine, const std::map<std::string, std::uint64_t>& values) {
  for (const auto& [key, value] : values) machine.gpus.try_emplace(key);
  for (auto& [key, history] : machine.gpus) {
    const auto found = values.find(key);
    push(history, found == values.end() ? std::nullopt : std::optional(found->second));
  }
  std::erase_if(machine.gpus, [](const auto& entry) {
    const TopHistory& history = entry.second;
    return std::none_of(history.begin(), history.end(), [](const auto& one) { return one; });
  });
}

}  // namespace

TopTime TopTime::now() {
  return {.steady = std::chrono::steady_clock::now(), .wall_ms = wall_clock_ms()};
}

std::string top_gpu_key(const resources::Gpu& gpu) {
  return gpu.uuid.empty() ? std::to_string(gpu.index) : gpu.uuid;
}

void top_asked(TopMachine& machine, Instant now) {
  if (!machine.unanswered) machine.unanswered = now;
}

void top_answered(TopMachine& machine, const resources::Seen& seen, Instant now) {
  std::map<std::string, std::uint64_t> values;
  if (seen.facts) {
    machine.facts = seen.facts;
    machine.measured = now - std::chrono::duration_cast<Instant::duration>(seen.age);
    machine.error.reset();
    machine.unanswered.reset();
    for (const auto& gpu : seen.facts->gpus.list.value.value_or(std::vector<resources::Gpu>())) {
      if (gpu.utilization_pct) values[top_gpu_key(gpu)] = *gpu.utilization_pct;
    }
  } else {
    machine.error =
        seen.error.value_or(Error{Errc::Unreachable, "it did not say why it does not answer", ""});
  }
  push_all(machine, values);
}

void top_asked_tasks(TopMachine& machine, Instant now) {
  if (!machine.tasks_waited) machine.tasks_waited = now;
}

void top_listed_tasks(TopMachine& machine, std::vector<ops::TaskInfo> tasks, bool answered,
                      Instant now) {
  machine.tasks = std::move(tasks);
  machine.tasks_seen = now;
  if (answered) machine.tasks_waited.reset();
}

std::optional<Duration> top_silence(const std::optional<Instant>& unanswered, Instant now) {
  if (!unanswered || now - *unanswered < kUsual) return std::nullopt;
  return now - *unanswered;
}

bool top_is_fresh(const TopMachine& machine, Instant now) {
  return machine.facts && !machine.error && !top_silence(machine.unanswered, now);
}

}  // namespace yonder::cli
