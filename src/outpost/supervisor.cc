#include "outpost/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "outpost/command.h"
#include "outpost/command_process.h"
#include "outpost/handover.h"
#include "outpost/input_pump.h"
#include "outpost/processes.h"
#include "outpost/self.h"
#include "outpost/tree_ender.h"

namespace yonder::outpost {
namespace {

static_assert(kStopSignal == SIGUSR1 && kInputSignal == SIGUSR2);

constexpr auto kEndPause = std::chrono::milliseconds(10);
constexpr auto kRetryPause = std::chrono::seconds(1);

std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

sigset_t supervisor_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, kStopSignal, kInputSignal}) {
    ::sigaddset(&set, number);
  }
  return set;
}

void point_at_null(std::initializer_list<int> fds) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : fds) ::dup2(null.get(), fd);
}

void close_from_to(unsigned first, unsigned last) {
  if (first > last || ::close_range(first, last, 0) == 0) return;
  for (unsigned fd = first; fd <= std::min(last, 1023U); ++fd) {  // kernels before 5.9
    ::close(static_cast<int>(fd));
  }
}

// And but the three standard ones.
void close_all_but(std::initializer_list<int> kept) {
  unsigned next = 3;
  for (const int fd : kept) {  // in rising order
    close_from_to(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  close_from_to(next, ~0U);
}

// No exec follows: this process has one thread and little memory, and a copy of it is there at
// once.
void leave_the_link(std::initializer_list<int> kept) {
  ::setsid();
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &plain, nullptr);
  point_at_null({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  // Also what start-up files have left open: a copy of the link's pipe would keep the link alive.
  close_all_but(kept);
}

Fd become_supervisor() {
  const sigset_t signals = supervisor_signals();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "yonder-run");
  return Fd(::signalfd(-1, &signals, SFD_CLOEXEC));
}

Result<Fd> open_input(const wire::StartRequest& spec, const RunRecord& record, Fd& pump_end) {
  if (spec.stdin_mode == wire::StdinMode::Closed) return open_file("/dev/null", O_RDONLY);
  if (spec.stdin_mode == wire::StdinMode::Whole) return open_file(record.path("in"), O_RDONLY);
  TRY_ASSIGN(Pipe pipe, make_pipe());
  TRY(set_nonblocking(pipe.write));
  pump_end = std::move(pipe.write);
  return std::move(pipe.read);
}

class Supervisor {
 public:
  Supervisor(const RunRecord& record, wire::StartRequest spec, Fd signals)
      : record_(record), spec_(std::move(spec)), signals_(std::move(signals)) {}

  // `waiting`: its command process, if it was forked before.
  int run(pid_t waiting = -1) {
    if (auto started = waiting > 0 ? adopt(waiting) : start(); !started) {
      record_end({.code = kCannotStart}, "yonder: " + started.error().message + "\n");
      return 1;
    }
    while (!ended_) wait_once();
    finish();
    while (has_children()) wait_once();
    return 0;
  }

 private:
  struct Ending {
    std::optional<int> code;
    std::optional<int> signal;
  };

  Result<void> start();
  Result<void> adopt(pid_t command);
  void begin(pid_t command);
  void wait_once();
  void on_signal(const signalfd_siginfo& info);
  void reap();
  bool has_children() const;
  void end_tree(wire::Cause cause, Duration grace);
  void finish();
  void record_end(const Ending& ending, const std::string& complaint);

  RunRecord record_;
  wire::StartRequest spec_;
  Fd signals_;
  std::unique_ptr<InputPump> pump_;
  pid_t command_ = -1;
  Instant started_ = std::chrono::steady_clock::now();
  Deadline limit_ = Deadline::never();
  wire::Cause cause_ = wire::Cause::Exited;
  bool cause_known_ = false;  // the first cause wins
  bool ended_ = false;
  Ending ending_;
  rusage usage_{};
};

Result<void> Supervisor::start() {
  Fd pump_end;
  TRY_ASSIGN(const Fd input, open_input(spec_, record_, pump_end));
  const auto self = key_of(::getpid());
  if (!self) return Error{Errc::Internal, "/proc is not readable", ""};
  const pid_t command = ::fork();
  if (command < 0) return errno_error("fork");
  if (command == 0) {
    pump_end.reset();
    run_command(spec_, record_, input, prepare_command(*self));
  }
  begin(command);
  // The command has it open; its text need not stay on the disk.
  if (spec_.stdin_mode == wire::StdinMode::Whole) ::unlink(record_.path("in").c_str());
  if (pump_end) pump_ = std::make_unique<InputPump>(record_, std::move(pump_end));
  if (pump_) pump_->step();
  return {};
}

void Supervisor::begin(pid_t command) {
  command_ = command;
  started_ = std::chrono::steady_clock::now();
  if (spec_.timeout_ms) limit_ = Deadline::after(std::chrono::milliseconds(*spec_.timeout_ms));
}

// A command process that died while it waited has begun nothing: another one is started.
Result<void> Supervisor::adopt(pid_t command) {
  siginfo_t info{};
  // Only looked at: how it ended is for reap(), should it have run already.
  ::waitid(P_PID, static_cast<id_t>(command), &info, WEXITED | WNOHANG | WNOWAIT);
  if (info.si_pid == command && !path_exists(record_.path("alive"))) {
    ::waitpid(command, nullptr, 0);
    return start();
  }
  begin(command);
  return {};
}

void Supervisor::wait_once() {
  const int blocked = pump_ && !ended_ ? pump_->blocked_fd() : -1;
  std::array<pollfd, 2> fds{pollfd{signals_.get(), POLLIN, 0}, pollfd{blocked, POLLOUT, 0}};
  const Deadline& deadline = ended_ ? Deadline::never() : limit_;
  ::poll(fds.data(), fds.size(), deadline.poll_timeout());
  if ((fds[1].revents & (POLLOUT | POLLERR | POLLHUP)) != 0) pump_->step();
  if ((fds[0].revents & POLLIN) != 0) {
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) == sizeof info) on_signal(info);
  }
  if (!ended_ && limit_.expired()) {
    end_tree(wire::Cause::Timeout, std::chrono::milliseconds(spec_.grace_ms));
  }
}

void Supervisor::on_signal(const signalfd_siginfo& info) {
  if (info.ssi_signo == SIGCHLD) reap();
  if (info.ssi_signo == kInputSignal && pump_) pump_->step();
  if (info.ssi_signo == kStopSignal) {
    end_tree(wire::Cause::Stop, std::chrono::milliseconds(std::max(0, info.ssi_int)));
  }
}

void Supervisor::reap() {
  while (true) {
    int raw = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &raw, WNOHANG, &usage);
    if (pid <= 0) return;
    if (pid != command_) continue;
    ended_ = true;
    usage_ = usage;
    if (WIFSIGNALED(raw)) {
      ending_.signal = WTERMSIG(raw);
      if (!cause_known_) cause_ = wire::Cause::Signal;
    } else {
      ending_.code = WEXITSTATUS(raw);
    }
    cause_known_ = true;
  }
}

bool Supervisor::has_children() const {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void Supervisor::end_tree(wire::Cause cause, Duration grace) {
  if (!cause_known_) cause_ = cause;
  cause_known_ = true;
  limit_ = Deadline::never();
  TreeEnder ender({.supervisor = ::getpid(), .mark = record_.mark()}, grace);
  while (!ender.step()) {
    ::poll(nullptr, 0, static_cast<int>(milliseconds(kEndPause)));
    reap();
  }
  reap();
}

void Supervisor::finish() {
  std::string complaint;
  if (spec_.login && !path_exists(record_.path("entered"))) {
    auto noise = read_file(record_.path("login"), 65536);
    complaint = concat("yonder: the login shell ended before the command was reached; it said:\n",
                       noise ? *noise : "");
    if (ending_.code == 0) ending_.code = kCannotStart;
  }
  record_end(ending_, complaint);
}

void Supervisor::record_end(const Ending& ending, const std::string& complaint) {
  if (!complaint.empty()) {
    if (auto err = open_file(record_.path("err"), O_WRONLY | O_APPEND | O_CREAT)) {
      // What cannot be said there is still in the record's exit code.
      [[maybe_unused]] const auto said = write_all(*err, complaint).has_value();
    }
  }
  wire::ExitRecord exit{.cause = cause_, .code = ending.code, .signal = ending.signal};
  exit.ended_ms = wall_clock_ms();
  exit.duration_ms = milliseconds(std::chrono::steady_clock::now() - started_);
  const auto in_ms = [](const timeval& t) { return t.tv_sec * 1000 + t.tv_usec / 1000; };
  exit.user_ms = in_ms(usage_.ru_utime);
  exit.system_ms = in_ms(usage_.ru_stime);
  exit.max_rss_kib = usage_.ru_maxrss;
  if (has_children()) {
    exit.left_running = describe(find_members({.supervisor = ::getpid(), .mark = record_.mark()}));
  }
  // The end must be told. While the disk refuses, this process stays and is the only proof of it.
  while (!record_.write_exit(exit)) {
    if (!path_exists(record_.directory())) return;  // somebody removed the record: nobody will ask
    ::poll(nullptr, 0, static_cast<int>(milliseconds(kRetryPause)));
  }
  record_.forget_inputs(spec_);
}

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
  const int status = Supervisor(run->record, run->spec, std::move(signals)).run(command);
  ::_exit(status);
}

}  // namespace

Result<void> spawn_supervisor(const RunRecord& record, const wire::StartRequest& spec,
                              const Fd& lock) {
  const sigset_t signals = supervisor_signals();
  sigset_t before;
  // Blocked across the fork, so that a signal sent right after the start waits for its reader.
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t pid = ::fork();
  if (pid == 0) {
    leave_the_link({lock.get()});
    show_as("outpost supervise " + record.id());
    ::_exit(supervise(record, spec));
  }
  const int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return errno_error("fork", error);
  return {};
}

int supervise(const RunRecord& record, const wire::StartRequest& spec) {
  Fd signals = become_supervisor();
  if (!signals) return 1;
  return Supervisor(record, spec, std::move(signals)).run();
}

bool Spare::suits(const wire::StartRequest& spec) {
  return spec.stdin_mode == wire::StdinMode::Closed && spec.command.size() <= kMaxArgument &&
         encode_handover(RunRecord(""), spec).size() <= kMaxHandover;
}

std::optional<Spare> Spare::fork_one() {
  auto supervisor = make_channel();
  auto command = make_channel();
  if (!supervisor || !command) return std::nullopt;
  const sigset_t signals = supervisor_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int first = supervisor->far.get();
    const int second = command->far.get();
    leave_the_link({std::min(first, second), std::max(first, second)});
    wait_as_supervisor(supervisor->far, command->far);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return std::nullopt;
  return Spare(std::move(supervisor->near), std::move(command->near));
}

// The supervisor first: it begins the run anew when its command process does not live. One that
// lives gets the same message, and then both work at the same time.
bool Spare::take(const RunRecord& record, const wire::StartRequest& spec, const Fd& lock) {
  const std::string message = encode_handover(record, spec);
  if (!hand_over(supervisor_, message, lock)) return false;
  hand_over(command_, message, lock);
  return true;
}

}  // namespace yonder::outpost
