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
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "outpost/awaited_end.h"
#include "outpost/command_process.h"
#include "outpost/detach.h"
#include "outpost/gpu_wait.h"
#include "outpost/input_pump.h"
#include "outpost/launcher.h"
#include "outpost/machine.h"
#include "outpost/processes.h"
#include "outpost/room.h"
#include "outpost/run_end.h"
#include "outpost/self.h"
#include "outpost/tree_ender.h"
#include "tree/late_errors.h"

namespace yonder::outpost {
namespace {

constexpr auto kLookAtLease = std::chrono::hours(1);
constexpr auto kLeaseRest = std::chrono::seconds(1);
constexpr auto kEndPause = std::chrono::milliseconds(10);
// How often the disk is looked at: ever more seldom, as the run grows old.
constexpr Duration kFirstLookAtRoom = std::chrono::milliseconds(100);
constexpr Duration kLastLookAtRoom = std::chrono::seconds(10);
constexpr int kLooksPerAge = 8;

Result<Fd> open_input(const wire::StartRequest& spec, const RunRecord& record, Fd& pump_end) {
  if (spec.stdin_mode == wire::StdinMode::Closed) return open_file("/dev/null", O_RDONLY);
  if (spec.stdin_mode == wire::StdinMode::Whole) return open_file(record.path("in"), O_RDONLY);
  TRY_ASSIGN(Pipe pipe, make_pipe());
  TRY(set_nonblocking(pipe.write));
  pump_end = std::move(pipe.write);
  return std::move(pipe.read);
}

bool is_same(const wire::ProcessKey& a, const wire::ProcessKey& b) {
  return a.pid == b.pid && a.start_time == b.start_time;
}

class Supervisor {
 public:
  Supervisor(HeldRecord held, wire::StartRequest spec, Fd signals)
      : record_(held.record()),
        held_(std::move(held)),
        spec_(std::move(spec)),
        signals_(std::move(signals)) {
    if (spec_.launcher == "scope") cgroup_ = own_scope_cgroup(record_);
  }

  // `waiting`: its command process, if it was forked before.
  int run(pid_t waiting) {
    if (waiting <= 0 && held_.reachable().stop_wanted()) {
      cause_ = wire::Cause::Stop;
      record_end({}, "");
      return 0;
    }
    if (auto obtained = obtain(); !obtained) return refuse(obtained.error());
    if (auto started = waiting > 0 ? adopt(waiting) : start(); !started) {
      if (lease_) lease_->leave();
      return refuse(started.error());
    }
    while (!ended_) wait_once();
    if (never_began()) {
      if (lease_) lease_->leave();
      return refuse(unbegun_ ? *unbegun_ : read_refusal(held_.reachable()));
    }
    finish();
    while (has_dependents()) wait_once();
    if (lease_) lease_->leave();
    return 0;
  }

 private:
  struct Ending {
    std::optional<int> code;
    std::optional<int> signal;
  };

  Result<void> obtain();
  void keep_lease();
  int refuse(const Error& why);
  Result<void> start();
  Result<void> adopt(pid_t command);
  void begin(pid_t command);
  void look_at_room();
  void wait_once();
  void on_signal(const signalfd_siginfo& info);
  void clean_record() const;
  void reap();
  bool surely_unbegun() const;
  bool died_unbegun(int raw) const;
  bool never_began() const;
  bool has_children() const;
  bool has_dependents() const;
  void end_tree(wire::Cause cause, const StopOrder& order);
  RunMembers members() const;
  void finish();
  void record_end(const Ending& ending, const std::string& complaint);

  RunRecord record_;
  HeldRecord held_;
  wire::StartRequest spec_;
  std::string cgroup_;
  Fd signals_;
  Fd awaits_;  // proves that the command was not reaped yet
  std::unique_ptr<InputPump> pump_;
  std::optional<GpuLease> lease_;
  Deadline look_at_lease_ = Deadline::never();
  bool lease_rests_ = false;  // whatever befalls it, it is not looked at before
  pid_t command_ = -1;
  wire::ProcessKey own_key_;
  wire::ProcessKey command_key_;
  std::optional<Error> unbegun_;  // why the command could not be begun
  Instant started_ = std::chrono::steady_clock::now();
  Deadline limit_ = Deadline::never();
  Deadline look_at_room_ = Deadline::never();
  bool disk_full_ = false;
  wire::Cause cause_ = wire::Cause::Exited;
  bool cause_known_ = false;  // the first cause wins
  bool ended_ = false;
  bool adopted_ = false;
  Ending ending_;
  std::string reason_;
  rusage usage_{};
};

Result<void> Supervisor::obtain() {
  if (spec_.gpus == 0) return {};
  TRY_ASSIGN(GpuLease lease, obtain_gpus(record_, spec_));
  lease_.emplace(std::move(lease));
  give_gpus(spec_, lease_->given());
  look_at_lease_ = Deadline::after(Duration::zero());
  return {};
}

// Somebody may clear it away while the command uses its GPUs.
void Supervisor::keep_lease() {
  const bool happened = lease_->drain_changes();
  const auto said = lease_->keep();
  lease_rests_ = happened || !said || !said->empty();
  look_at_lease_ = lease_rests_ ? Deadline::after(kLeaseRest) : Deadline::after(kLookAtLease);
  if (said && !said->empty()) say_end(record_, spec_, {}, *said);
}

int Supervisor::refuse(const Error& why) {
  cause_ = why.code == Errc::Cancelled ? wire::Cause::Stop : wire::Cause::Refused;
  reason_ = why.hint.empty() ? why.message : concat(why.message, "; ", why.hint);
  // Whoever waits for a command is told by its end.
  record_end({}, spec_.background ? concat("yonder: ", reason_, "\n") : "");
  return 0;
}

Result<void> Supervisor::start() {
  Fd pump_end;
  TRY_ASSIGN(const Fd input, open_input(spec_, held_.reachable(), pump_end));
  const auto self = key_of(::getpid());
  if (!self) return Error{Errc::Internal, "/proc is not readable", ""};
  const pid_t command = ::fork();
  if (command < 0) return errno_error("fork");
  if (command == 0) {
    pump_end.reset();
    auto prepared = prepare_command(*self);
    if (lease_ && prepared) {
      prepared->gpus = lease_->given();
      lease_->note_command(prepared->command);
    }
    run_command(spec_, held_, input, std::move(prepared));
  }
  begin(command);
  // The command has it open; its text need not stay on the disk.
  if (spec_.stdin_mode == wire::StdinMode::Whole) ::unlink(held_.reachable().path("in").c_str());
  if (pump_end) pump_ = std::make_unique<InputPump>(held_.reachable(), std::move(pump_end));
  if (pump_) pump_->step();
  return {};
}

void Supervisor::begin(pid_t command) {
  command_ = command;
  let_be_seen(awaits_);
  awaits_ = await_end(held_.reachable().directory());
  own_key_ = key_of(::getpid()).value_or(wire::ProcessKey{});
  command_key_ = key_of(command).value_or(wire::ProcessKey{});
  if (lease_ && command_key_.pid > 0) lease_->know_command(command_key_);
  started_ = std::chrono::steady_clock::now();
  if (spec_.timeout_ms) limit_ = Deadline::after(std::chrono::milliseconds(*spec_.timeout_ms));
  // A file system of another machine, or of the user's choice, may hang; it is asked at the end.
  const Fd out(::open(held_.reachable().path("out").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const bool may_hang = !spec_.log_file.empty() || !out || tree::tells_errors_late(out.get());
  if (!may_hang) look_at_room_ = Deadline::after(kFirstLookAtRoom);
}

// Only the command learns that its writes fail.
void Supervisor::look_at_room() {
  disk_full_ = disk_full_ || looks_full(record_.directory());
  const Duration age = std::chrono::steady_clock::now() - started_;
  look_at_room_ =
      Deadline::after(std::clamp(age / kLooksPerAge, kFirstLookAtRoom, kLastLookAtRoom));
}

// A command process that died while it waited has begun nothing: another one is started.
Result<void> Supervisor::adopt(pid_t command) {
  siginfo_t info{};
  // Only looked at: how it ended is for reap(), should it have run already.
  ::waitid(P_PID, static_cast<id_t>(command), &info, WEXITED | WNOHANG | WNOWAIT);
  if (info.si_pid == command && surely_unbegun()) {
    ::waitpid(command, nullptr, 0);
    return start();
  }
  adopted_ = true;
  begin(command);
  return {};
}

void Supervisor::wait_once() {
  const int blocked = pump_ && !ended_ ? pump_->blocked_fd() : -1;
  const int lease = lease_ && !lease_rests_ ? lease_->changes().get() : -1;
  std::array<pollfd, 3> fds{pollfd{signals_.get(), POLLIN, 0}, pollfd{blocked, POLLOUT, 0},
                            pollfd{lease, POLLIN, 0}};
  const Deadline deadline = ended_ ? Deadline::never() : Deadline::earlier(limit_, look_at_room_);
  ::poll(fds.data(), fds.size(), Deadline::earlier(deadline, look_at_lease_).poll_timeout());
  if (!ended_ && look_at_room_.expired()) look_at_room();
  if (look_at_lease_.expired() || (fds[2].revents & POLLIN) != 0) keep_lease();
  if ((fds[1].revents & (POLLOUT | POLLERR | POLLHUP)) != 0) pump_->step();
  if ((fds[0].revents & POLLIN) != 0) {
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) == sizeof info) on_signal(info);
  }
  if (!ended_ && limit_.expired()) {
    end_tree(wire::Cause::Timeout, {.grace_ms = spec_.grace_ms});
  }
}

void Supervisor::on_signal(const signalfd_siginfo& info) {
  if (info.ssi_signo == SIGCHLD) reap();
  if (info.ssi_signo == kInputSignal && pump_) pump_->step();
  if (info.ssi_signo == kStopSignal) end_tree(wire::Cause::Stop, decode_stop(info.ssi_int));
}

// A command can write into its own record. What stands for the end before the command was reaped is
// not from here: it goes while the command is still to be seen, so that nobody takes it for the
// end. And the record names this process and the command again, so that nobody looks for others.
void Supervisor::clean_record() const {
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(command_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (info.si_pid != command_) return;
  const RunRecord record = held_.reachable();
  ::unlink(record.path("exit").c_str());
  const auto alive = record.read_alive();
  if (!alive || !*alive || own_key_.pid <= 0 || command_key_.pid <= 0) return;
  wire::AliveRecord truth = **alive;
  if (is_same(truth.supervisor, own_key_) && is_same(truth.command, command_key_)) return;
  truth.boot_id = read_boot_id();
  truth.host = read_hostname();
  truth.pid_ns = read_pid_namespace();
  truth.supervisor = own_key_;
  truth.command = command_key_;
  [[maybe_unused]] const bool written = record.write_alive(truth).has_value();
}

void Supervisor::reap() {
  if (!ended_ && command_ > 0) clean_record();
  while (true) {
    int raw = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &raw, WNOHANG, &usage);
    if (pid <= 0) return;
    if (pid != command_) continue;
    if (died_unbegun(raw)) {
      adopted_ = false;
      auto again = start();
      if (again) continue;
      unbegun_ = std::move(again).error();
    }
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

// The command leaves `alive` before its first instruction. That its path leads nowhere proves
// nothing: the home may be renamed, or its file system away for a moment.
bool Supervisor::surely_unbegun() const {
  const RunRecord record = held_.reachable();
  return path_exists(record.path("spec")) && !path_exists(record.path("alive"));
}

// A process that was forked ahead of need and died before it was the command: nothing has run, so
// another one may.
bool Supervisor::died_unbegun(int raw) const {
  return adopted_ && !cause_known_ && WIFSIGNALED(raw) && surely_unbegun();
}

// Its process has given up before it was the command, and has said why.
bool Supervisor::never_began() const {
  if (unbegun_) return true;
  return cause_ == wire::Cause::Exited && ending_.code == kCannotStart && surely_unbegun();
}

bool Supervisor::has_children() const {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// A run that was started from inside this one comes to this process when its starter has gone, but
// it needs none: it has a supervisor of its own.
bool Supervisor::has_dependents() const {
  if (!has_children()) return false;
  bool seen = false;
  for (const auto& process : all_processes()) {
    if (process.parent != ::getpid()) continue;
    if (!leads_another_run(process.pid)) return true;
    seen = true;
  }
  // What /proc does not show is another user's, and so no run of this one.
  return !seen || !hidden_children().empty();
}

RunMembers Supervisor::members() const {
  return {
      .supervisor = ::getpid(), .command = command_key_, .mark = record_.mark(), .cgroup = cgroup_};
}

void Supervisor::end_tree(wire::Cause cause, const StopOrder& order) {
  reap();  // an end that has happened already is not ours
  if (!cause_known_) cause_ = cause;
  cause_known_ = true;
  limit_ = Deadline::never();
  TreeEnder ender(members(), std::chrono::milliseconds(order.grace_ms), order.signal);
  while (!ender.step()) {
    pollfd more{signals_.get(), POLLIN, 0};
    ::poll(&more, 1, static_cast<int>(to_milliseconds(kEndPause)));
    signalfd_siginfo info{};
    const bool heard =
        (more.revents & POLLIN) != 0 && ::read(signals_.get(), &info, sizeof info) == sizeof info;
    // Whoever asks again may be in more of a hurry.
    if (heard && info.ssi_signo == kStopSignal) {
      const StopOrder again = decode_stop(info.ssi_int);
      ender.hurry(std::chrono::milliseconds(again.grace_ms), again.signal);
    }
    if (heard && info.ssi_signo == kInputSignal && pump_) pump_->step();
    reap();
  }
  reap();
}

void Supervisor::finish() {
  std::string complaint;
  const RunRecord record = held_.reachable();
  if (spec_.login && path_exists(record.path("spec")) && !path_exists(record.path("entered"))) {
    auto noise = read_file(record.path("login"), 65536);
    complaint = concat("yonder: the login shell ended before the command was reached; it said:\n",
                       noise ? *noise : "");
    if (ending_.code == 0) ending_.code = kCannotStart;
  }
  record_end(ending_, complaint);
}

void Supervisor::record_end(const Ending& ending, const std::string& complaint) {
  wire::ExitRecord exit{.cause = cause_, .code = ending.code, .signal = ending.signal};
  exit.reason = reason_;
  exit.ended_ms = wall_clock_ms();
  exit.duration_ms = to_milliseconds(std::chrono::steady_clock::now() - started_);
  const auto in_ms = [](const timeval& t) { return t.tv_sec * 1000 + t.tv_usec / 1000; };
  exit.user_ms = in_ms(usage_.ru_utime);
  exit.system_ms = in_ms(usage_.ru_stime);
  exit.max_rss_kib = usage_.ru_maxrss;
  const bool begun = ending.code || ending.signal;
  exit.disk_full = disk_full_ || (begun && output_disk_is_full(held_.reachable(), spec_));
  say_end(held_.reachable(), spec_, exit, complaint);
  if (has_children()) {
    if (const auto left = find_members(members())) exit.left_running = describe(*left);
  }
  let_be_seen(awaits_);
  write_end(held_, spec_, exit);
}

}  // namespace

Result<void> spawn_supervisor(const RunRecord& record, const wire::StartRequest& spec,
                              const Fd& lock) {
  HeldRecord held(record);
  if (held.fd() < 0) return errno_error("open " + record.directory());
  const SupervisorSignals blocked;
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("fork");
  if (pid > 0) return {};
  show_as_supervisor(record.id());
  leave_the_link({lock.get(), held.fd()});
  ::_exit(supervise(std::move(held), spec));
}

void show_as_supervisor(const std::string& run_id) {
  ::prctl(PR_SET_NAME, kSupervisorName);
  show_as("outpost supervise " + run_id);
}

Fd become_supervisor() {
  const sigset_t signals = supervisor_signals();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, not the end
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, kSupervisorName);
  return Fd(::signalfd(-1, &signals, SFD_CLOEXEC));
}

int supervise(HeldRecord held, const wire::StartRequest& spec) {
  return supervise(std::move(held), spec, become_supervisor(), -1);
}

int supervise(HeldRecord held, const wire::StartRequest& spec, Fd signals, pid_t command) {
  if (!signals) return 1;
  return Supervisor(std::move(held), spec, std::move(signals)).run(command);
}

}  // namespace yonder::outpost
