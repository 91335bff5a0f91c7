#include "chaos/truth.h"

#include <algorithm>

#include "base/file.h"

namespace yonder::chaos {
namespace {

constexpr auto kPause = std::chrono::milliseconds(30);
constexpr std::uint64_t kCountLimit = 65536;

}  // namespace

Truth::Truth(const std::vector<RunPlan>& plans)
    : plans_(plans), seen_(std::vector<Seen>(plans.size())) {
  watcher_ = Thread("truth", [this] {
    do {
      for (const auto& plan : plans_) look(plan);
    } while (!stop_.wait(Deadline::after(kPause)));
  });
}

Truth::~Truth() {
  stop_.raise();
  watcher_.join();
}

Seen Truth::of(const RunPlan& plan) const {
  return seen_.look([&](const auto& all) { return all[static_cast<std::size_t>(plan.number)]; });
}

void Truth::look(const RunPlan& plan) {
  const Seen before = of(plan);
  if (before.gone_at) return;
  Seen now = before;
  if (!now.command) {
    const auto line = read_file(plan.count_file, kCountLimit);
    if (line && line->ends_with('\n')) now.command = parse_process_id(*line);
  }
  if (!now.ready) now.ready = path_exists(plan.ready_file);
  if (now.command && !exists(*now.command)) now.gone_at = std::chrono::steady_clock::now();
  note(plan, [&](Seen& seen) {
    seen.command = now.command;
    seen.ready = now.ready;
    seen.gone_at = now.gone_at;
  });
}

bool Truth::note_start(const RunPlan& plan, const std::string& run_id,
                       const std::string& log_file) {
  bool same = true;
  note(plan, [&](Seen& seen) {
    same = seen.run_id.empty() || seen.run_id == run_id;
    seen.run_id = run_id;
    if (!log_file.empty()) seen.log_file = log_file;
  });
  return same;
}

std::vector<int> Truth::started() const {
  return seen_.look([&](const auto& all) {
    std::vector<int> numbers;
    for (const auto& plan : plans_) {
      if (!all[static_cast<std::size_t>(plan.number)].run_id.empty())
        numbers.push_back(plan.number);
    }
    return numbers;
  });
}

bool Truth::all_settled(const Deadline& deadline) {
  const auto settled = [](const auto& all) {
    return std::all_of(all.begin(), all.end(), [](const Seen& seen) { return seen.settled; });
  };
  return seen_.wait(deadline, settled, settled);
}

}  // namespace yonder::chaos
