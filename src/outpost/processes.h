#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/messages.h"

namespace yonder::outpost {

// One line of /proc/PID/stat, as far as we need it.
struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  char state = '?';
  std::uint64_t start_time = 0;
  bool gone() const { return state == 'Z' || state == 'X'; }  // a zombie does nothing any more
};

// Pure. The name in it may hold anything, spaces and brackets too.
std::optional<Process> parse_stat(const std::string& stat);

std::optional<Process> look_at(pid_t pid);
// The very same process, and not a zombie.
bool lives(const wire::ProcessKey& key);
// The very same process is seen, be it a zombie: its parent has not heard yet how it ended.
bool is_unreaped(const wire::ProcessKey& key);
std::optional<wire::ProcessKey> key_of(pid_t pid);

// To that very process, and to no other that has got its number since. With a value, as sigqueue(3)
// does it. False when it is gone.
bool send_signal(const wire::ProcessKey& key, int signal, std::optional<int> value = std::nullopt);

std::vector<Process> all_processes();

// Pure. Everything below `root`, without `root` itself and without zombies.
std::vector<pid_t> descendants(const std::vector<Process>& processes, pid_t root);

// Every process of a run has it in its environment, unless it has cleared that.
inline std::string run_mark(const std::string& run_id) {
  return "YONDER_RUN_ID=" + run_id;
}

// What supervisors are called, see show_as_supervisor().
inline constexpr const char* kSupervisorName = "yonder-run";
// Whether it is the supervisor of some run, or one that waits for a run. Where it is found below
// another run, it was started from inside that, and is none of it.
bool leads_another_run(pid_t pid);

// What belongs to a run: what descends from its supervisor (a subreaper, so that a daemon's second
// fork stays below it); when that is gone, what carries the run's mark in its environment, and what
// is in the session that the command led (its number is not given away while anything is in it);
// what is in the run's own cgroup; who lived at its end; and what descends from these. Not what
// belongs to a run that was started from inside. The supervisor itself also knows its children that
// /proc hides; their start times are not known, and 0. Costs a walk over /proc.
struct RunMembers {
  pid_t supervisor = 0;      // 0: gone
  wire::ProcessKey command;  // it may have cleared its environment; pid 0: not known
  bool ended = false;        // with nothing left: its session's number may be another's by now
  bool by_files = false;     // also what writes into the run's own output
  std::string mark;          // "YONDER_RUN_ID=r-..."
  std::string cgroup;        // below /sys/fs/cgroup; empty: none
  std::vector<wire::ProcessKey> left;  // who lived when the command had ended
};
// An error when not everything could be looked at: then nothing is proven to be gone.
Result<std::vector<pid_t>> find_members(const RunMembers& run);
// The same for whoever will send them signals.
Result<std::vector<wire::ProcessKey>> find_member_keys(const RunMembers& run);

// Children of this process that live, and that /proc does not show: it may hide other users' ones.
std::vector<pid_t> hidden_children();

// For people: pid and command line, made printable and short.
std::vector<wire::LiveProcess> describe(const std::vector<pid_t>& pids);

}  // namespace yonder::outpost
