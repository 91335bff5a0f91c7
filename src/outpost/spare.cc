#include "outpost/spare.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
// Of a message: what its longer texts do not make, and what each of them adds to its own length.
constexpr std::size_t kShortTexts = 16384;
constexpr std::size_t kPerText = 9;

[[noreturn]] void wait_as_command(const Fd& channel, const wire::ProcessKey& supervisor) {
  auto prepared = prepare_command(supervisor);
  const auto run = take_over(channel);
  // No exit code: whoever reads one would take it for the command's.
  if (!run) ::raise(SIGKILL);
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  run_command(run->spec, run->held, nothing, std::move(prepared));
}

// The far ends of what connects the outpost with a spare.
struct Ends {
  Fd supervisor;
  Fd command;
  Fd offer;
};

[[noreturn]] void wait_as_supervisor(Ends& ends, const std::string& ready) {
  Fd signals = become_supervisor();
  // Before the fork: the command process holds its lock too, until it is the command.
  auto record = ready.empty() ? std::nullopt : ReadyRecord::make(ready);
  if (record) offer_lock(ends.offer, record->lock());
  ends.offer.reset();
  const auto self = key_of(::getpid());
  const pid_t command = self && signals ? ::fork() : -1;
  if (command == 0) {
    ends.supervisor.reset();
    wait_as_command(ends.command, *self);
  }
  ends.command.reset();
  show_as("outpost spare");
  auto run = take_over(ends.supervisor);
  if (!run) {
    if (command > 0) ::waitpid(command, nullptr, 0);
    record.reset();  // removed, unless it has become a run's
    ::_exit(1);
  }
  ::sched_yield();  // to the command process: nobody waits for what this one does first
  if (record && record->unused()) record.reset();
  show_as_supervisor(run->held.record().id());
  // Whatever could not be had before is tried again: the run is this process's now.
  if (!signals) signals = become_supervisor();
  ::_exit(supervise(std::move(run->held), run->spec, std::move(signals), command));
}

}  // namespace

bool Spare::suits(const wire::StartRequest& spec) {
  std::size_t length = spec.command.size() + kShortTexts;
  for (const auto& word : spec.argv) length += word.size() + kPerText;
  for (const auto& [name, value] : spec.env) length += name.size() + value.size() + 2 * kPerText;
  return spec.stdin_mode == wire::StdinMode::Closed && spec.launcher != "scope" && spec.gpus == 0 &&
         length <= kMaxHandover;
}

std::optional<Spare> Spare::fork_one(const std::string& state_dir) {
  auto supervisor = make_channel();
  auto command = make_channel();
  auto offer = make_channel();
  if (!supervisor || !command || !offer) return std::nullopt;
  const std::string ready =
      state_dir.empty() ? "" : ReadyRecord::path_of(state_dir, random_letters(kNameLetters));
  room_for_title();
  const SupervisorSignals blocked;
  const pid_t pid = ::fork();
  if (pid == 0) {
    Ends ends{std::move(supervisor->far), std::move(command->far), std::move(offer->far)};
    std::array<int, 3> kept{ends.supervisor.get(), ends.command.get(), ends.offer.get()};
    std::sort(kept.begin(), kept.end());
    leave_the_link({kept[0], kept[1], kept[2]});
    wait_as_supervisor(ends, ready);
  }
  if (pid < 0) return std::nullopt;
  return Spare(std::move(supervisor->near), std::move(command->near), std::move(offer->near),
               ready);
}

std::optional<Fd> Spare::give_record(const RunRecord& record) {
  const std::string ready = std::exchange(ready_, "");
  if (ready.empty()) return std::nullopt;
  // First the lock: from here on nobody else can begin what this process has not begun.
  Fd lock = accept_lock(offer_);
  if (!lock) {
    ready_ = ready;  // it is not finished
    return std::nullopt;
  }
  if (std::rename(ready.c_str(), record.directory().c_str()) != 0) return std::nullopt;
  return lock;
}

// The supervisor first: it begins the run anew when its command process does not live. One that
// lives gets the same message, and then both work at the same time.
bool Spare::take(const RunRecord& record, const wire::StartRequest& spec, const Fd& lock) {
  const std::string message = encode_handover(record, spec);
  if (message.size() > kMaxHandover) return false;
  const HeldRecord held(record);
  if (held.fd() < 0 || !hand_over(supervisor_, message, lock, held)) return false;
  hand_over(command_, message, lock, held);
  ::sched_yield();  // to them: whoever asked waits for the command, not for this process
  return true;
}

}  // namespace yonder::outpost
