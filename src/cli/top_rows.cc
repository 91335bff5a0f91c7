#include "cli/top_rows.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "resources/idle_score.h"

namespace yonder::cli {
namespace {

enum MachineOrder { kByName, kByIdle, kByLoad, kByMemory, kByGpu };
enum RunOrder { kByAge, kByMachine, kByState, kByCommand };
enum TransferOrder { kByNewest, kByPlace };

bool fits(const std::string& filter, const std::vector<std::string>& texts) {
  if (filter.empty()) return true;
  const std::string wanted = to_lower(filter);
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return to_lower(text).find(wanted) != std::string::npos;
  });
}

double share(const resources::Count& part, const resources::Count& whole, double unknown) {
  if (!part || !whole || *whole == 0) return unknown;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

double busiest_gpu(const resources::Gpus& gpus, double unknown) {
  double busiest = unknown;
  if (!gpus.list) return busiest;
  for (const auto& gpu : *gpus.list) {
    if (!gpu.utilization_pct) continue;
    busiest = std::max(busiest, static_cast<double>(*gpu.utilization_pct));
  }
  return busiest;
}

// Larger comes first; a machine of which it is not known comes last.
double rank(const TopMachine& machine, std::size_t order) {
  constexpr double kUnknown = -1;
  if (!machine.facts) return kUnknown;
  const resources::MachineFacts& facts = *machine.facts;
  switch (order) {
    case kByIdle: {
      const auto score = resources::idle_score(facts);
      return score ? *score : kUnknown;
    }
    case kByLoad: return share(facts.cpu.load_1m_milli, facts.cpu.allowed_milli, kUnknown);
    case kByMemory: {
      const double free = share(facts.memory.available_bytes, facts.memory.total_bytes, 2);
      return 1 - free;
    }
    case kByGpu: return busiest_gpu(facts.gpus, kUnknown);
    default: return 0;
  }
}

// What one looks for first stands first.
int state_rank(const ops::TaskInfo& task) {
  switch (task.status.state) {
    case RunState::Running: return 0;
    case RunState::Queued: return 1;
    case RunState::Unknown: return 2;
    default: return 3;
  }
}

bool run_before(const TopRun& a, const TopRun& b, std::size_t order) {
  switch (order) {
    case kByMachine:
      if (a.task->sandbox != b.task->sandbox) return a.task->sandbox < b.task->sandbox;
      break;
    case kByState:
      if (state_rank(*a.task) != state_rank(*b.task)) {
        return state_rank(*a.task) < state_rank(*b.task);
      }
      break;
    case kByCommand:
      if (a.task->command != b.task->command) return a.task->command < b.task->command;
      break;
    default: break;
  }
  return a.task->created_ms > b.task->created_ms;
}

}  // namespace

std::vector<const TopMachine*> top_machines(const TopKnown& known, const TopView& view) {
  std::vector<const TopMachine*> all;
  for (const auto& machine : known.machines) {
    if (fits(view.filter, {machine.name})) all.push_back(&machine);
  }
  const std::size_t order = view.order_in(TopPane::Machines);
  std::stable_sort(all.begin(), all.end(), [&](const TopMachine* a, const TopMachine* b) {
    if (order == kByName) return a->name < b->name;
    return rank(*a, order) > rank(*b, order);
  });
  return all;
}

std::vector<TopRun> top_runs(const TopKnown& known, const TopView& view) {
  std::vector<TopRun> all;
  std::set<std::string> listed;
  for (const auto& machine : known.machines) {
    for (const auto& task : machine.tasks) {
      if (!listed.insert(task.run_id.str()).second) continue;
      const std::vector<std::string> texts{
          task.run_id.str(), machine.name,      task.command,
          task.description,  task.session_name, std::string(name_of(task.status.state))};
      if (fits(view.filter, texts)) all.push_back({.machine = &machine, .task = &task});
    }
  }
  const std::size_t order = view.order_in(TopPane::Runs);
  std::stable_sort(all.begin(), all.end(),
                   [&](const TopRun& a, const TopRun& b) { return run_before(a, b, order); });
  return all;
}

std::vector<const ops::TransferInfo*> top_transfers(const TopKnown& known, const TopView& view) {
  std::vector<const ops::TransferInfo*> all;
  for (const auto& transfer : known.transfers) {
    const auto& note = transfer.note;
    const std::vector<std::string> texts{std::to_string(note.id), note.sandbox, note.local_path,
                                         note.remote_path, transfer.state.status};
    if (fits(view.filter, texts)) all.push_back(&transfer);
  }
  const std::size_t order = view.order_in(TopPane::Transfers);
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) {
    if (order == kByPlace && a->note.sandbox != b->note.sandbox) {
      return a->note.sandbox < b->note.sandbox;
    }
    return a->note.id > b->note.id;
  });
  return all;
}

std::vector<std::string> top_keys_of(const TopKnown& known, const TopView& view, TopPane pane) {
  std::vector<std::string> keys;
  switch (pane) {
    case TopPane::Machines:
      for (const auto* machine : top_machines(known, view)) keys.push_back(machine->name);
      break;
    case TopPane::Runs:
      for (const auto& run : top_runs(known, view)) keys.push_back(run.task->run_id.str());
      break;
    case TopPane::Transfers:
      for (const auto* one : top_transfers(known, view)) {
        keys.push_back(std::to_string(one->note.id));
      }
      break;
  }
  return keys;
}

std::size_t top_cursor(const TopKnown& known, const TopView& view, TopPane pane) {
  const auto keys = top_keys_of(known, view, pane);
  const auto found = std::find(keys.begin(), keys.end(), view.chosen_in(pane));
  return found == keys.end() ? 0 : static_cast<std::size_t>(found - keys.begin());
}

const std::vector<std::string>& top_orders(TopPane pane) {
  static const std::vector<std::string> machines{"name", "idle", "load", "memory", "GPU"};
  static const std::vector<std::string> runs{"age", "machine", "state", "command"};
  static const std::vector<std::string> transfers{"age", "machine"};
  switch (pane) {
    case TopPane::Machines: return machines;
    case TopPane::Runs: return runs;
    default: return transfers;
  }
}

}  // namespace yonder::cli
