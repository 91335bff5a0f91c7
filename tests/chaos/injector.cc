#include "chaos/injector.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "chaos/places.h"
#include "chaos/prey.h"
#include "chaos/proc.h"
#include "e2e/fixture.h"
#include "lab/processes.h"

namespace yonder::chaos {
namespace {

using lab::Direction;

constexpr auto kTick = std::chrono::milliseconds(20);
// Longer than a link may be silent before it counts as dead.
constexpr auto kLongStall = std::chrono::seconds(35);

// Faults under which a promise still breaks, seldom. YONDER_CHAOS_ALL_FAULTS=1 injects them too.
constexpr std::array<std::string_view, 2> kNotWithstoodYet{"home gone for a while",
                                                           "disk full for a while"};

bool is_left_out(std::string_view fault) {
  return std::getenv("YONDER_CHAOS_ALL_FAULTS") == nullptr &&
         std::find(kNotWithstoodYet.begin(), kNotWithstoodYet.end(), fault) !=
             kNotWithstoodYet.end();
}

}  // namespace

Injector::Injector(Stage& stage, std::uint64_t seed, Pace pace)
    : stage_(stage), dice_(seed), pace_(pace), machine_count_(stage.world.machines.size()) {}

const std::vector<Injector::Fault>& Injector::faults() {
  static const std::vector<Fault> known{
      {"link cut", 5, &Injector::cut},
      {"link cut after some bytes", 4, &Injector::cut_after_bytes},
      {"link stalled", 3, &Injector::stall},
      {"link half open", 3, &Injector::half_open},
      {"machine gone for a while", 1, &Injector::go_away},
      {"ssh killed", 4, &Injector::kill_ssh},
      {"sshd session killed", 3, &Injector::kill_session},
      {"sshd sessions frozen", 1, &Injector::freeze_sessions},
      {"outpost killed", 5, &Injector::kill_outpost},
      {"yonder mcp killed", 4, &Injector::kill_client},
      {"tmux server killed", 2, &Injector::kill_tmux},
      {"home gone for a while", 2, &Injector::lose_home},
      {"disk full for a while", 2, &Injector::fill_disk},
      {"supervisor killed", 6, &Injector::kill_supervisor},
      {"command killed", 6, &Injector::kill_command}};
  static const std::vector<Fault> all = [] {
    std::vector<Fault> chosen = known;
    std::erase_if(chosen, [](const Fault& fault) { return is_left_out(fault.name); });
    return chosen;
  }();
  return all;
}

void Injector::wreak() {
  Deadline next = Deadline::after(pace_.mean_pause);
  while (!stage_.calm.is_up() && !stage_.end.expired()) {
    repair_due(false);
    if (next.expired()) {
      one_fault();
      next = Deadline::after(next_pause());
    }
    stage_.calm.wait(Deadline::earlier(next, Deadline::after(kTick)));
  }
  repair_due(true);
}

Duration Injector::next_pause() {
  constexpr int kMostDoublings = 10;
  const int doublings = std::min(stage_.tally.faults() / std::max(pace_.wanted, 1), kMostDoublings);
  return pace_.mean_pause * dice_.between(2, 18) / 10 * (1 << doublings);
}

void Injector::one_fault() {
  const auto& all = faults();
  const int whole = std::accumulate(all.begin(), all.end(), 0,
                                    [](int sum, const Fault& fault) { return sum + fault.weight; });
  // A kind that finds nothing to break makes room for another one.
  for (int attempt = 0; attempt < 10; ++attempt) {
    int ticket = dice_.between(0, whole - 1);
    const auto chosen = std::find_if(all.begin(), all.end(), [&](const Fault& fault) {
      ticket -= fault.weight;
      return ticket < 0;
    });
    if (!(this->*chosen->inject)()) continue;
    stage_.tally.fault(chosen->name);
    return;
  }
}

void Injector::repair_due(bool all) {
  const auto now = std::chrono::steady_clock::now();
  for (auto& repair : repairs_) {
    if (!all && repair.at > now) continue;
    repair.repair();
    repair.repair = nullptr;
  }
  std::erase_if(repairs_, [](const Repair& repair) { return !repair.repair; });
}

void Injector::repair_later(Duration pause, std::function<void()> repair) {
  repairs_.push_back({std::chrono::steady_clock::now() + pause, std::move(repair)});
}

lab::FaultProxy& Injector::some_line() {
  return stage_.world.line(dice_.below(machine_count_), dice_.below(kLines));
}

Duration Injector::some_time(int at_most_ms) {
  return std::chrono::milliseconds(dice_.between(100, at_most_ms));
}

bool Injector::cut() {
  auto& line = some_line();
  if (line.stats().open == 0) return false;
  line.cut(dice_.one_in(2) ? lab::CutWith::Reset : lab::CutWith::Fin);
  return true;
}

bool Injector::cut_after_bytes() {
  auto& line = some_line();
  if (line.stats().open == 0) return false;
  line.cut_after({.bytes = 1 + dice_.below(dice_.one_in(3) ? 60000 : 1500),
                  .direction = dice_.one_in(2) ? Direction::Up : Direction::Down});
  return true;
}

bool Injector::stall() {
  auto& line = some_line();
  if (line.stats().open == 0) return false;
  line.stall();
  const bool long_one = stage_.patient && dice_.one_in(12);
  repair_later(long_one ? Duration(kLongStall) : some_time(2000), [&line] { line.resume(); });
  return true;
}

bool Injector::half_open() {
  auto& line = some_line();
  if (line.stats().open == 0) return false;
  line.half_close(dice_.one_in(2) ? Direction::Up : Direction::Down);
  return true;
}

bool Injector::go_away() {
  for (auto& line : some_machine().lines) {
    line->refuse();
    line->cut();
    repair_later(some_time(1500), [&line] { line->accept(); });
  }
  return true;
}

bool Injector::kill_ssh() {
  const pid_t client = dice_.of(stage_.seats)->pid();
  return client > 0 && kill_one(named_below(client, "ssh"), dice_);
}

bool Injector::kill_session() {
  std::vector<pid_t> sessions;
  for (const auto& child : lab::children_of(some_machine().sshd.pid())) {
    sessions.push_back(child.pid);
  }
  return kill_one(sessions, dice_);
}

// Remembered one by one: a session whose parent is killed meanwhile is not below the server any
// more.
bool Injector::freeze_sessions() {
  std::vector<ProcessId> frozen;
  for (const auto& process : e2e::family_of(some_machine().sshd.pid())) {
    const auto id = process.name.starts_with("sshd") ? identify(process.pid) : std::nullopt;
    if (id && ::kill(id->pid, SIGSTOP) == 0) frozen.push_back(*id);
  }
  repair_later(some_time(1200), [frozen] {
    for (const auto& process : frozen) {
      if (exists(process)) ::kill(process.pid, SIGCONT);
    }
  });
  return !frozen.empty();
}

bool Injector::kill_outpost() {
  return kill_one(outposts_below(some_machine().sshd.pid()), dice_);
}

bool Injector::kill_client() {
  return dice_.of(stage_.seats)->kill();
}

bool Injector::kill_tmux() {
  return kill_one(processes_of(some_machine().user.uid, "tmux: server"), dice_);
}

bool Injector::lose_home() {
  const std::string home = some_machine().user.home;
  if (spoiled_.contains(home)) return false;
  const auto instead = dice_.one_in(2) ? InItsPlace::Nothing : InItsPlace::EmptyDirectory;
  if (!take_home_away(home, instead)) return false;
  spoiled_.insert(home);
  repair_later(some_time(2000), [this, home] {
    if (!bring_home_back(home)) {
      stage_.tally.wrong(Wrong::Answer, concat("the test could not bring back ", home));
    }
    spoiled_.erase(home);
  });
  return true;
}

// What is printed meanwhile is lost by whoever prints it; nothing else may be.
bool Injector::fill_disk() {
  const std::size_t machine = dice_.below(machine_count_);
  const std::string disk = stage_.world.machines[machine].state_disk;
  if (spoiled_.contains(disk)) return false;
  logs_may_lack(stage_, machine);
  if (!fill_up(disk)) return false;
  spoiled_.insert(disk);
  repair_later(some_time(2500), [this, machine, disk] {
    clear_out(disk);
    logs_are_whole_again(stage_, machine);
    spoiled_.erase(disk);
  });
  return true;
}

bool Injector::kill_victim(Victim victim) {
  std::vector<const RunPlan*> chosen;
  for (const auto& plan : stage_.plans) {
    if (plan.victim != victim) continue;
    const Seen seen = stage_.truth.of(plan);
    if (seen.ready && !seen.killed && !seen.gone_at) chosen.push_back(&plan);
  }
  return !chosen.empty() && kill_victim_of(*dice_.of(chosen));
}

bool Injector::kill_victim_of(const RunPlan& plan) {
  const auto command = stage_.truth.of(plan).command;
  if (!command) return false;
  pid_t prey = command->pid;
  if (plan.victim == Victim::Supervisor) {
    prey = parent_of(command->pid).value_or(-1);
    if (prey <= 1 || name_of(prey) != "yonder-run") return false;
  }
  if (!lab::kill_and_wait({prey}).empty()) return false;
  stage_.truth.note(plan, [&](Seen& seen) {
    seen.killed = true;
    if (plan.victim == Victim::Supervisor) seen.orphaned_at = std::chrono::steady_clock::now();
  });
  return true;
}

}  // namespace yonder::chaos
