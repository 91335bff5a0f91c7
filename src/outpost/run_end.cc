#include "outpost/run_end.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "outpost/background_log.h"

namespace yonder::outpost {
namespace {

constexpr auto kLogPatience = std::chrono::seconds(1);
constexpr int kRetryPauseMs = 1000;

// What shells and timeout(1) say of it.
constexpr int kTimeoutCode = 124;
constexpr int kSignalBase = 128;

void say(const RunRecord& record, const wire::StartRequest& spec, const wire::ExitRecord& exit,
         const std::string& complaint) {
  if (!complaint.empty()) {
    const int flags = O_WRONLY | O_APPEND | O_NONBLOCK | (spec.background ? 0 : O_CREAT);
    if (auto file = open_file(record.path(spec.background ? "log" : "err"), flags)) {
      [[maybe_unused]] const auto said = write_all(*file, complaint).has_value();
    }
  }
  if (!spec.background || (!exit.code && !exit.signal)) return;  // it has never begun
  int code = exit.code.value_or(kSignalBase + exit.signal.value_or(0));
  if (exit.cause == wire::Cause::Timeout) code = kTimeoutCode;
  append_exit_code(record, code);
}

}  // namespace

void say_end(const RunRecord& record, const wire::StartRequest& spec, const wire::ExitRecord& exit,
             const std::string& complaint) {
  if (complaint.empty() && !spec.background) return;
  // A log of the user may lie on a file system that hangs: the end is recorded all the same.
  const pid_t speaker = spec.log_file.empty() ? -1 : ::fork();
  if (speaker <= 0) say(record, spec, exit, complaint);
  if (speaker == 0) ::_exit(0);
  const Deadline deadline = Deadline::after(kLogPatience);
  while (speaker > 0 && ::waitpid(speaker, nullptr, WNOHANG) == 0 && !deadline.expired()) {
    ::poll(nullptr, 0, 1);
  }
}

void write_end(const HeldRecord& held, const wire::StartRequest& spec,
               const wire::ExitRecord& exit) {
  while (!held.reachable().write_exit(exit)) {
    if (held.removed()) return;  // with the record went every question about the run
    ::poll(nullptr, 0, kRetryPauseMs);
  }
  held.reachable().forget_inputs(spec);
}

}  // namespace yonder::outpost
