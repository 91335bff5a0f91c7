#include "outpost/spare.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/id.h"
#include "outpost/command.h"
#include "outpost/command_process.h"
#include "outpost/detach.h"
#include "outpost/handover.h"
#include "outpost/processes.h"
#include "outpost/record_files.h"
#include "outpost/self.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kNameLetters = 16;

[[noreturn]] void wait_as_command(const Fd& channel, const wire::ProcessKey& supervisor) {
  auto prepared = prepare_command(supervisor);
  const auto run = take_over(channel);
  // No exit code: whoever reads one would take it for the command's.
  if (!run) ::raise(SIGKILL);
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  run_command(run->spec, run->record, nothing, std::move(prepared));
}

[[noreturn]] void wait_as_supervisor(Fd& channel, Fd& command_channel, const std::string& ready) {
  Fd signals = become_supervisor();
  // Before the fork: the command process holds its lock too, until it is the command.
  auto record = ready.empty() ? std::nullopt : ReadyRecord::make(ready);
  const auto self = key_of(::getpid());
  const pid_t command = self ? ::fork() : -1;
  if (command == 0) {
    channel.reset();
    wait_as_command(command_channel, *self);
  }
  command_channel.reset();
  show_as("outpost spare");
  const auto run = command > 0 ? take_over(channel) : std::nullopt;
  if (!run || !signals) {
    record.reset();  // removed, unless it has become a run's
    ::_exit(1);
  }
  ::sched_yield();  // to the command process: nobody waits for what this one does first
  if (record && record->unused()) record.reset();
  show_as("outpost supervise " + run->record.id());
  ::_exit(supervise(run->record, run->spec, std::move(signals), command));
}

}  // namespace

bool Spare::suits(const wire::StartRequest& spec) {
  return spec.stdin_mode == wire::StdinMode::Closed && spec.launcher != "scope" &&
         spec.command.size() <= kMaxArgument;
}

std::optional<Spare> Spare::fork_one(const std::string& state_dir) {
  auto supervisor = make_channel();
  auto command = make_channel();
  if (!supervisor || !command) return std::nullopt;
  const std::string ready =
      state_dir.empty() ? "" : ReadyRecord::path_of(state_dir, random_letters(kNameLetters));
  room_for_title();
  const SupervisorSignals blocked;
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int first = supervisor->far.get();
    const int second = command->far.get();
    leave_the_link({std::min(first, second), std::max(first, second)});
    wait_as_supervisor(supervisor->far, command->far, ready);
  }
  if (pid < 0) return std::nullopt;
  return Spare(std::move(supervisor->near), std::move(command->near), ready);
}

bool Spare::give_record(const RunRecord& record) {
  const std::string ready = std::exchange(ready_, "");
  return !ready.empty() && std::rename(ready.c_str(), record.directory().c_str()) == 0;
}

// The supervisor first: it begins the run anew when its command process does not live. One that
// lives gets the same message, and then both work at the same time.
bool Spare::take(const RunRecord& record, const wire::StartRequest& spec, const Fd& lock) {
  const std::string message = encode_handover(record, spec);
  if (message.size() > kMaxHandover) return false;
  if (!hand_over(supervisor_, message, lock)) return false;
  hand_over(command_, message, lock);
  ::sched_yield();  // to them: whoever asked waits for the command, not for this process
  return true;
}

}  // namespace yonder::outpost
