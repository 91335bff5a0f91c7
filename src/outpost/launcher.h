#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// What keeps a background run alive when everybody has logged out: a scope of the user's systemd
// where that lingers, and a session of its own otherwise.

// What a scope needs.
struct SystemdFacts {
  std::string systemd_run;  // empty: not there
  std::string user_bus;     // its socket; empty: not reachable
  bool lingering = false;   // the user's systemd stays when the user logs out
};
// Reads the environment.
SystemdFacts look_at_systemd();

// Pure. The launcher that was wanted, or the best one; Unsupported says what is missing for it.
Result<std::string> choose_launcher(const std::string& wanted, const SystemdFacts& systemd);

// How long a scope may take to come up before a session is made instead.
inline constexpr auto kScopePatience = std::chrono::seconds(5);

// Starts the supervisor of a background run whose lock the caller holds, by the launcher of the
// spec. When a scope does not come up, the run begins in a session; `alive` says what it was, and
// `launch.problem` why.
Result<void> launch_background(const RunRecord& record, const wire::StartRequest& spec,
                               const Fd& lock, const SystemdFacts& systemd,
                               Duration patience = kScopePatience);

// `outpost supervise DIR LOCK CHANNEL`: what systemd-run starts. Begins the run when the process at
// the other end of the channel says so, and does nothing when that has given up on it.
int supervise_in_scope(const RunRecord& record, Fd lock, Fd channel);

std::string scope_unit(const RunRecord& record);
// Pure. Where below /sys/fs/cgroup a process of this unit may be, by its /proc/PID/cgroup.
std::vector<std::string> scope_cgroups(const std::string& proc_cgroup, const std::string& unit);
// This process's cgroup, when that is the scope of the run; empty otherwise.
std::string own_scope_cgroup(const RunRecord& record);

}  // namespace yonder::outpost
