#include "chaos/prey.h"

#include <signal.h>

#include "chaos/proc.h"
#include "e2e/fixture.h"

namespace yonder::chaos {

bool kill_one(const std::vector<pid_t>& pids, Dice& dice) {
  return !pids.empty() && ::kill(dice.of(pids), SIGKILL) == 0;
}

std::vector<pid_t> outposts_below(pid_t sshd) {
  std::vector<pid_t> pids;
  for (const auto& process : e2e::family_of(sshd)) {
    if (!process.name.starts_with("outpost-")) continue;
    const std::string parent = name_of(process.parent);
    if (!parent.starts_with("outpost-") && parent != "yonder-run") pids.push_back(process.pid);
  }
  return pids;
}

std::vector<pid_t> named_below(pid_t root, std::string_view name) {
  std::vector<pid_t> pids;
  for (const auto& process : e2e::family_of(root)) {
    if (process.name == name) pids.push_back(process.pid);
  }
  return pids;
}

}  // namespace yonder::chaos
