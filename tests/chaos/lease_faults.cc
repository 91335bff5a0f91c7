#include <signal.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "chaos/dice.h"
#include "chaos/lease_stage.h"
#include "chaos/proc.h"

namespace yonder::chaos {
namespace {

using namespace std::chrono_literals;

// The title says whose supervisor it is.
std::string run_of(pid_t supervisor) {
  const auto title = read_file(concat("/proc/", supervisor, "/cmdline"), 4096);
  const std::size_t at = title ? title->find("supervise r-") : std::string::npos;
  if (at == std::string::npos) return "";
  const std::size_t begin = at + std::string_view("supervise ").size();
  return title->substr(begin, title->find_first_of(std::string_view("\0 ", 2), begin) - begin);
}

void kill_a_supervisor(LeaseStage& stage, Dice& dice) {
  const auto pids = processes_of(dice.of(stage.users).uid, "yonder-run");
  if (pids.empty()) return;
  const pid_t pid = dice.of(pids);
  const auto process = identify(pid);
  const std::string run = run_of(pid);
  if (!process || run.empty()) return;
  // Before it is done: whoever sees its end must know why.
  stage.killed.with([&](auto& killed) { killed.insert(run); });
  const auto again = identify(pid);
  if (!again || again->start_time != process->start_time) return;
  if (::kill(pid, SIGKILL) == 0) stage.tally.fault("supervisor killed");
}

}  // namespace

void break_leases(LeaseStage& stage, std::uint64_t seed) {
  Dice dice(seed);
  // Twice as long after each hundred: on the slowest machine there is a time to get something done.
  const auto pause = [&] {
    const int doublings = std::min(stage.tally.faults() / 100, 10);
    return Deadline::after(std::chrono::milliseconds(dice.between(50, 250) << doublings));
  };
  while (!stage.calm.wait(pause())) {
    LeaseClient& client = stage.clients[dice.below(stage.clients.size())];
    switch (dice.below(4)) {
      case 0:
      case 1: kill_a_supervisor(stage, dice); break;
      case 2:
        client.line->cut();
        stage.tally.fault("line cut");
        break;
      default:
        if (client.seat->kill()) stage.tally.fault("client killed");
    }
  }
}

}  // namespace yonder::chaos
