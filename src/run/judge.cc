#include "run/judge.h"

#include "base/far_text.h"
#include "base/text.h"

namespace yonder::run {
namespace {

constexpr int kTimeoutCode = 124;  // as timeout(1) has it
constexpr int kSignalBase = 128;   // as shells have it

RunState state_for(wire::Cause cause) {
  switch (cause) {
    case wire::Cause::Exited: return RunState::Exited;
    case wire::Cause::Signal: return RunState::Signaled;
    case wire::Cause::Timeout: return RunState::TimedOut;
    case wire::Cause::Stop: return RunState::Stopped;
    case wire::Cause::Refused: return RunState::Refused;
  }
  return RunState::Unknown;
}

std::string where_moved(const wire::MovedRecord& moved) {
  return concat(
      "its record is in ", quoted_far_text(moved.directory),
      moved.in_memory ? ", which is memory and would not survive a restart of the machine" : "",
      ": the usual place had no room; ", machine_said(moved.why));
}

// A command can write its own record. What is in it is never our own words, and only a run that
// never began has a reason to tell.
std::string proof_of(const wire::RunFacts& facts) {
  const wire::ExitRecord& exit = *facts.exit;
  if (exit.cause == wire::Cause::Refused) return machine_said(exit.reason);
  if (facts.command_lives)
    return "exit record; but its process still lives, and may have written it";
  return "exit record";
}

// A supervisor records no end before it has reaped the command: what is there while both live was
// written by somebody else.
bool is_an_end(const wire::RunFacts& facts) {
  return facts.exit && !(facts.supervisor_lives && facts.command_lives);
}

void add_end(RunStatus& status, const wire::RunFacts& facts) {
  const wire::ExitRecord& exit = *facts.exit;
  status.state = state_for(exit.cause);
  status.proof = proof_of(facts);
  status.ended_ms = exit.ended_ms;
  status.duration_s = static_cast<double>(exit.duration_ms) / 1000;
  if (exit.signal) {
    status.signal = signal_name(*exit.signal);
    status.exit_code = kSignalBase + *exit.signal;
  }
  if (exit.code) status.exit_code = *exit.code;
  if (exit.cause == wire::Cause::Timeout) status.exit_code = kTimeoutCode;
}

// It waits for GPUs on another machine that shares this home: nobody here sees its supervisor.
bool waits_elsewhere(const wire::RunFacts& facts) {
  return facts.waiting && !facts.alive && facts.waiting->boot_id != facts.boot_id &&
         !facts.waiting->host.empty() && facts.waiting->host != facts.host;
}

// Before the command began.
void judge_waiting(RunStatus& status, const wire::RunFacts& facts) {
  if (!facts.supervisor_lives && waits_elsewhere(facts)) {
    status.proof = concat("it waits on ", far_name(facts.waiting->host), ", and this is ",
                          far_name(facts.host));
    return;
  }
  status.state = facts.supervisor_lives ? RunState::Queued : RunState::Lost;
  status.proof = !facts.supervisor_lives ? "its starter died before the command began"
                 : facts.waiting         ? "its supervisor waits for GPUs"
                                         : "recorded, about to begin";
  if (!facts.supervisor_lives || !facts.waiting) return;
  status.queue = {.ahead = facts.waiting->ahead,
                  .since_ms = facts.waiting->since_ms,
                  .holders = facts.waiting->holders};
}

bool in_another_container(const wire::RunFacts& facts) {
  const wire::AliveRecord& alive = *facts.alive;
  return alive.boot_id == facts.boot_id && !alive.pid_ns.empty() && !facts.pid_ns.empty() &&
         alive.pid_ns != facts.pid_ns;
}

std::string proof_from_afar(const wire::RunFacts& facts) {
  if (in_another_container(facts)) {
    return facts.supervisor_lives ? "its lock is held, in another container of the machine"
                                  : "it was started in another container of the machine";
  }
  const std::string there = far_name(facts.alive->host);
  return facts.supervisor_lives
             ? concat("its lock is held, on ", there)
             : concat("it was started on ", there, ", and this is ", far_name(facts.host));
}

// Its pids mean nothing where it was looked at: another machine that shares the home, or another
// container.
bool is_elsewhere(const wire::RunFacts& facts) {
  const wire::AliveRecord& alive = *facts.alive;
  if (alive.boot_id != facts.boot_id) return !alive.host.empty() && alive.host != facts.host;
  return in_another_container(facts);
}

void judge_living(RunStatus& status, const wire::RunFacts& facts) {
  if (!facts.alive && facts.exit) {
    status.state = RunState::Running;
    status.proof = "its supervisor has not seen its end; its record was tampered with";
  } else if (!facts.alive) {
    judge_waiting(status, facts);
  } else if (is_elsewhere(facts)) {
    // Where locks reach across, the lock is proof enough.
    status.state = facts.supervisor_lives ? RunState::Running : RunState::Unknown;
    status.proof = proof_from_afar(facts);
  } else if (facts.alive->boot_id != facts.boot_id && facts.supervisor_lives) {
    status.state = RunState::Running;
    status.proof = "its lock is held, though the boot id is another";
  } else if (facts.alive->boot_id != facts.boot_id) {
    status.state = RunState::Lost;
    status.proof = "the machine has booted since";
  } else if (facts.command_lives || facts.supervisor_lives) {
    status.state = RunState::Running;
    status.proof =
        !facts.supervisor_lives ? "process; its supervisor is gone"
        : facts.exit          ? "process; there is an exit record that its supervisor did not write"
        : facts.command_lives ? "process"
                              : "its supervisor; how the command ended is not recorded yet";
  } else {
    status.state = RunState::Lost;
    status.proof = "the process is gone without an exit record";
  }
}

}  // namespace

RunStatus judge(const wire::RunFacts& facts) {
  RunStatus status;
  if (facts.alive) {
    status.started_ms = facts.alive->started_ms;
    for (const auto& gpu : facts.alive->gpus) status.gpus.push_back({gpu.index, gpu.uuid});
  }
  for (const auto& member : facts.members) {
    status.left_running.push_back({.pid = member.pid, .command = member.command});
  }
  status.disk_full = facts.disk_full;
  if (facts.moved) status.moved = where_moved(*facts.moved);
  if (!facts.problem.empty()) {
    status.proof = concat("unreadable record; ", machine_said(facts.problem));
  } else if (!facts.record_found) {
    status.proof = "no record";
  } else if (is_an_end(facts)) {
    add_end(status, facts);
  } else {
    judge_living(status, facts);
  }
  return status;
}

RunStatus unseen() {
  RunStatus status;
  status.proof = "not reachable";
  return status;
}

bool is_gone(const wire::RunFacts& facts) {
  if (!facts.problem.empty() || facts.supervisor_lives || facts.command_lives) return false;
  if (!facts.members.empty()) return false;
  if (facts.exit) return true;
  if (!facts.record_found) return false;
  // On another machine, which shares this home, or in another container nobody has looked.
  return !(facts.alive && is_elsewhere(facts)) && !waits_elsewhere(facts);
}

}  // namespace yonder::run
