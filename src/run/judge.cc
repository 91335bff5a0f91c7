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

// A command can write its own record. What is in it is never our own words, and only a run that
// never began has a reason to tell.
std::string proof_of(const wire::RunFacts& facts) {
  const wire::ExitRecord& exit = *facts.exit;
  if (exit.cause == wire::Cause::Refused) return machine_said(exit.reason);
  if (facts.command_lives)
    return "exit record; but its process still lives, and may have written it";
  return "exit record";
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

void judge_living(RunStatus& status, const wire::RunFacts& facts) {
  if (!facts.alive) {
    judge_waiting(status, facts);
  } else if (facts.alive->boot_id != facts.boot_id && !facts.alive->host.empty() &&
             facts.alive->host != facts.host) {
    // A home that several machines share. Where locks reach across, the lock is proof enough.
    status.state = facts.supervisor_lives ? RunState::Running : RunState::Unknown;
    status.proof = facts.supervisor_lives
                       ? concat("its lock is held, on ", far_name(facts.alive->host))
                       : concat("it was started on ", far_name(facts.alive->host), ", and this is ",
                                far_name(facts.host));
  } else if (facts.alive->boot_id != facts.boot_id) {
    status.state = RunState::Lost;
    status.proof = "the machine has booted since";
  } else if (facts.command_lives || facts.supervisor_lives) {
    status.state = RunState::Running;
    status.proof = !facts.supervisor_lives ? "process; its supervisor is gone"
                   : facts.command_lives
                       ? "process"
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
  if (!facts.problem.empty()) {
    status.proof = concat("unreadable record; ", machine_said(facts.problem));
  } else if (!facts.record_found) {
    status.proof = "no record";
  } else if (facts.exit) {
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
  if (!facts.problem.empty() || facts.supervisor_lives || !facts.members.empty()) return false;
  if (facts.exit) return true;
  if (!facts.record_found || facts.command_lives) return false;
  // On another machine, which shares this home, nobody has looked.
  const bool elsewhere = facts.alive && facts.alive->boot_id != facts.boot_id &&
                         !facts.alive->host.empty() && facts.alive->host != facts.host;
  return !elsewhere && !waits_elsewhere(facts);
}

}  // namespace yonder::run
