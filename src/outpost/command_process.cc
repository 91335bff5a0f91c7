#include "outpost/command_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/command.h"
#include "outpost/gpu_lease.h"
#include "outpost/launcher.h"
#include "outpost/machine.h"
#include "outpost/processes.h"

namespace yonder::outpost {
namespace {

void plain_signals() {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < 32; ++number) ::sigaction(number, &plain, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::string login_shell() {
  const std::string shell = environment("SHELL");
  return shell.empty() ? "/bin/sh" : shell;
}

// The command writes into its log itself: no process stands between that could lose a byte of it.
Result<void> attach_output(const RunRecord& record, const wire::StartRequest& spec) {
  // A log of the user may have become a pipe that nobody reads: then this must not wait for ever.
  TRY_ASSIGN(const Fd out, open_file(record.path("out"), O_WRONLY | O_APPEND | O_NONBLOCK));
  const int flags = ::fcntl(out.get(), F_GETFL);
  ::fcntl(out.get(), F_SETFL, flags & ~O_NONBLOCK);
  if (spec.background) {
    ::dup2(out.get(), STDOUT_FILENO);
    ::dup2(out.get(), STDERR_FILENO);
    return {};
  }
  TRY_ASSIGN(const Fd err, open_file(record.path("err"), O_WRONLY | O_APPEND));
  ::dup2(out.get(), STDOUT_FILENO);
  ::dup2(err.get(), STDERR_FILENO);
  return {};
}

Result<void> enter_directory(const wire::StartRequest& spec) {
  TRY_ASSIGN(const std::string directory, resolve_directory(spec.cwd, environment("HOME")));
  if (::chdir(directory.c_str()) != 0) return errno_error("cwd '" + printable(directory) + "'");
  return {};
}

// Only returns when it could not be done.
Error become_command(const wire::StartRequest& spec, const RunRecord& record) {
  TRY(enter_directory(spec));
  return execute(plan_command(spec, record, current_environment()));
}

// Start-up files may print what they like: it goes to a file of its own, not to the command's
// output.
Error become_login_shell(const RunRecord& record, pid_t supervisor) {
  TRY_ASSIGN(const Fd noise, open_file(record.path("login"), O_WRONLY | O_CREAT | O_APPEND));
  ::dup2(noise.get(), STDOUT_FILENO);
  ::dup2(noise.get(), STDERR_FILENO);
  return execute(plan_login(record, login_shell(), concat("/proc/", supervisor, "/exe"),
                            current_environment()));
}

int complain(const Error& error) {
  const std::string line = concat("yonder: ", error.message, "\n");
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  return kCannotStart;
}

// Nothing has run. The supervisor reads why.
[[noreturn]] void give_up(const RunRecord& record, const Error& error) {
  [[maybe_unused]] const bool noted =
      write_file_atomically(record.path("refusal"), error.message, Durability::Process).has_value();
  ::_exit(kCannotStart);
}

}  // namespace

Error read_refusal(const RunRecord& record) {
  constexpr std::uint64_t kLongest = 4096;
  const auto reason = read_file(record.path("refusal"), kLongest);
  return {Errc::Internal,
          reason && !reason->empty() ? *reason : "the process of the command could not note itself",
          ""};
}

Result<wire::AliveRecord> prepare_command(const wire::ProcessKey& supervisor) {
  ::prctl(PR_SET_NAME, "yonder-command");  // it is no supervisor
  ::setsid();
  plain_signals();
  const auto self = key_of(::getpid());
  if (!self) return Error{Errc::Internal, "/proc is not readable", ""};
  return wire::AliveRecord{.boot_id = read_boot_id(),
                           .host = read_hostname(),
                           .pid_ns = read_pid_namespace(),
                           .supervisor = supervisor,
                           .command = *self};
}

void run_command(const wire::StartRequest& spec, const HeldRecord& held, const Fd& input,
                 Result<wire::AliveRecord> prepared) {
  const RunRecord reachable = held.reachable();
  ::dup2(input.get(), STDIN_FILENO);
  if (const auto attached = attach_output(reachable, spec); !attached)
    give_up(reachable, attached.error());
  if (!prepared) give_up(reachable, prepared.error());
  // A directory that was there when the run was asked for may be gone by now.
  if (const auto entered = enter_directory(spec); !entered) give_up(reachable, entered.error());
  const RunRecord& record = held.record();
  prepared->started_ms = wall_clock_ms();
  if (spec.background) prepared->launcher = spec.launcher;
  if (prepared->launcher == "scope") prepared->cgroup = own_scope_cgroup(record);
  if (const auto noted = reachable.write_alive(*prepared); !noted)
    give_up(reachable, noted.error());
  ::_exit(complain(spec.login
                       ? become_login_shell(record, static_cast<pid_t>(prepared->supervisor.pid))
                       : become_command(spec, record)));
}

int enter_command(const RunRecord& record) {
  auto spec = record.read_spec();
  if (!spec) return complain(spec.error());
  if (const auto alive = record.read_alive(); alive && *alive) give_gpus(*spec, (*alive)->gpus);
  if (const auto attached = attach_output(record, *spec); !attached)
    return complain(attached.error());
  // The file was made ahead of need: a full disk must not keep the command from its beginning.
  if (std::rename(record.path("entered.new").c_str(), record.path("entered").c_str()) != 0) {
    if (const auto mark = open_file(record.path("entered"), O_WRONLY | O_CREAT); !mark) {
      return complain(mark.error());
    }
  }
  return complain(become_command(*spec, record));
}

}  // namespace yonder::outpost
