#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "outpost/command.h"
#include "outpost/command_process.h"
#include "outpost/detach.h"
#include "outpost/handover.h"
#include "outpost/processes.h"
#include "outpost/self.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

[[noreturn]] void wait_as_command(const Fd& channel, const wire::ProcessKey& supervisor) {
  auto prepared = prepare_command(supervisor);
  const auto run = take_over(channel);
  // No exit code: whoever reads one would take it for the command's.
  if (!run) ::raise(SIGKILL);
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  run_command(run->spec, run->record, nothing, std::move(prepared));
}

[[noreturn]] void wait_as_supervisor(Fd& channel, Fd& command_channel) {
  Fd signals = become_supervisor();
  const auto self = key_of(::getpid());
  const pid_t command = self ? ::fork() : -1;
  if (command == 0) {
    channel.reset();
    wait_as_command(command_channel, *self);
  }
  command_channel.reset();
  show_as("outpost spare");
  const auto run = command > 0 ? take_over(channel) : std::nullopt;
  if (!run || !signals) ::_exit(1);
  show_as("outpost supervise " + run->record.id());
  ::_exit(supervise(run->record, run->spec, std::move(signals), command));
}

}  // namespace

bool Spare::suits(const wire::StartRequest& spec) {
  return spec.stdin_mode == wire::StdinMode::Closed && spec.launcher != "scope" &&
         spec.command.size() <= kMaxArgument;
}

std::optional<Spare> Spare::fork_one() {
  auto supervisor = make_channel();
  auto command = make_channel();
  if (!supervisor || !command) return std::nullopt;
  const SupervisorSignals blocked;
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int first = supervisor->far.get();
    const int second = command->far.get();
    leave_the_link({std::min(first, second), std::max(first, second)});
    wait_as_supervisor(supervisor->far, command->far);
  }
  if (pid < 0) return std::nullopt;
  return Spare(std::move(supervisor->near), std::move(command->near));
}

// The supervisor first: it begins the run anew when its command process does not live. One that
// lives gets the same message, and then both work at the same time.
bool Spare::take(const RunRecord& record, const wire::StartRequest& spec, const Fd& lock) {
  const std::string message = encode_handover(record, spec);
  if (message.size() > kMaxHandover) return false;
  if (!hand_over(supervisor_, message, lock)) return false;
  hand_over(command_, message, lock);
  return true;
}

}  // namespace yonder::outpost
