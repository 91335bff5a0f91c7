#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/text.h"

namespace yonder {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What execvp does, but with the PATH of the given environment and no allocation after fork.
std::vector<std::string> candidates_for(const std::string& program,
                                        const std::vector<std::string>& environment) {
  if (program.find('/') != std::string::npos) return {program};
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const auto& entry : environment) {
    if (entry.starts_with("PATH=")) path = entry.substr(5);
  }
  std::vector<std::string> candidates;
  for (const auto& directory : split(path, ':')) {
    candidates.push_back((directory.empty() ? std::string(".") : directory) + "/" + program);
  }
  return candidates;
}

struct ChildPlan {
  std::vector<char*> programs;
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::array<int, 3> stdio{};
  int report = -1;
  bool new_session = true;
};

// These run between fork and exec: only async-signal-safe calls.
void forget_signal_settings() {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGQUIT}) {
    ::sigaction(number, &plain, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Returns only when none of them can be started, and says why.
int start_first(const ChildPlan& plan) {
  int error = ENOENT;
  for (char* const program : plan.programs) {
    if (program == nullptr) break;
    ::execve(program, plan.argv.data(), plan.environment.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  return error;
}

[[noreturn]] void become(const ChildPlan& plan) {
  if (plan.new_session) ::setsid();
  forget_signal_settings();
  for (int fd = 0; fd < 3; ++fd) {
    ::dup2(plan.stdio.at(static_cast<std::size_t>(fd)), fd);
    ::fcntl(fd, F_SETFD, 0);  // it may have been this number already: ours was closed
  }
  const int error = start_first(plan);
  [[maybe_unused]] const auto written = ::write(plan.report, &error, sizeof error);
  ::_exit(127);
}

ExitStatus decode(int raw) {
  if (WIFSIGNALED(raw)) return {.signaled = true, .code = WTERMSIG(raw)};
  return {.signaled = false, .code = WEXITSTATUS(raw)};
}

// How long a child gets between SIGTERM and SIGKILL when its owner dies.
constexpr auto kEndGrace = std::chrono::milliseconds(300);

}  // namespace

Result<Subprocess> Subprocess::spawn(const SpawnOptions& options) {
  if (options.argv.empty()) return Error{Errc::Internal, "spawn: no program", ""};
  TRY_ASSIGN(Pipe in, make_pipe());
  TRY_ASSIGN(Pipe out, make_pipe());
  TRY_ASSIGN(Pipe err, make_pipe());
  TRY_ASSIGN(Pipe report, make_pipe());

  auto argv = options.argv;
  auto environment = options.environment;
  auto programs = candidates_for(argv[0], environment);
  ChildPlan plan{.programs = pointers_to(programs),
                 .argv = pointers_to(argv),
                 .environment = pointers_to(environment),
                 .stdio = {in.read.get(), out.write.get(), err.write.get()},
                 .report = report.write.get(),
                 .new_session = options.new_session};
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("fork");
  if (pid == 0) become(plan);

  report.write.reset();
  int exec_error = 0;
  const auto reported =
      read_some(report.read, reinterpret_cast<char*>(&exec_error), sizeof exec_error);
  Subprocess child(pid, options.new_session, std::move(in.write), std::move(out.read),
                   std::move(err.read));
  if (reported && *reported == sizeof exec_error) {
    return errno_error("cannot start " + options.argv[0], exec_error);
  }
  return child;
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      leads_group_(other.leads_group_),
      status_(other.status_),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    leads_group_ = other.leads_group_;
    status_ = other.status_;
    input_ = std::move(other.input_);
    output_ = std::move(other.output_);
    errors_ = std::move(other.errors_);
  }
  return *this;
}

Subprocess::~Subprocess() {
  end();
}

void Subprocess::end() {
  if (pid_ < 0 || status_) return;
  input_.reset();
  signal(SIGTERM);
  if (!wait(Deadline::after(kEndGrace))) {
    signal(SIGKILL);
    wait(Deadline::never());
  }
}

void Subprocess::signal(int number) const {
  // Its number is its own until wait() has seen its end: no other process can be meant.
  if (pid_ <= 0 || status_) return;
  // The group exists from its first instruction on; before that, the process alone.
  if (!leads_group_ || ::kill(-pid_, number) != 0) ::kill(pid_, number);
}

std::optional<ExitStatus> Subprocess::wait(const Deadline& deadline) {
  if (status_ || pid_ < 0) return status_;
  auto pause = std::chrono::microseconds(200);
  while (true) {
    int raw = 0;
    const pid_t done = ::waitpid(pid_, &raw, deadline.is_never() ? 0 : WNOHANG);
    if (done == pid_) return status_ = decode(raw);
    if (done < 0 && errno != EINTR) return status_ = ExitStatus{.signaled = false, .code = 255};
    if (deadline.expired()) return std::nullopt;
    // Portable waiting with a deadline: a child that ends is noticed within a few milliseconds.
    std::this_thread::sleep_for(std::min<Duration>(pause, deadline.remaining()));
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
}

Error become_program(const SpawnOptions& options) {
  if (options.argv.empty()) return Error{Errc::Internal, "become: no program", ""};
  auto argv = options.argv;
  auto environment = options.environment;
  auto programs = candidates_for(argv[0], environment);
  forget_signal_settings();
  const int error = start_first({.programs = pointers_to(programs),
                                 .argv = pointers_to(argv),
                                 .environment = pointers_to(environment)});
  return errno_error("cannot start " + options.argv[0], error);
}

Result<Captured> run_captured(const SpawnOptions& options, std::string_view input,
                              std::size_t max_bytes, const Deadline& deadline) {
  TRY_ASSIGN(Subprocess child, Subprocess::spawn(options));
  TRY(set_nonblocking(child.input()));
  Captured captured;
  while (child.output() || child.errors()) {
    if (input.empty()) child.input().reset();
    std::array<pollfd, 3> fds{pollfd{child.output().get(), POLLIN, 0},
                              pollfd{child.errors().get(), POLLIN, 0},
                              pollfd{child.input().get(), POLLOUT, 0}};
    if (::poll(fds.data(), fds.size(), deadline.poll_timeout()) == 0) {
      return Error{Errc::Timeout, options.argv[0] + " did not end in time", ""};
    }
    if ((fds[2].revents & POLLOUT) != 0) {
      const ssize_t n = ::write(child.input().get(), input.data(), input.size());
      if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
    }
    if ((fds[2].revents & (POLLERR | POLLHUP)) != 0) input = {};
    const auto drain = [&](Fd& from, std::string& into, short revents) -> Result<void> {
      if ((revents & (POLLIN | POLLHUP | POLLERR)) == 0) return {};
      std::array<char, 16384> buffer{};
      TRY_ASSIGN(const std::size_t n, read_some(from, buffer.data(), buffer.size()));
      into.append(buffer.data(), n);
      if (n == 0) from.reset();
      if (into.size() > max_bytes) {
        return Error{Errc::Protocol, options.argv[0] + " printed too much", ""};
      }
      return {};
    };
    TRY(drain(child.output(), captured.out, fds[0].revents));
    TRY(drain(child.errors(), captured.err, fds[1].revents));
  }
  const auto status = child.wait(deadline);
  if (!status) return Error{Errc::Timeout, options.argv[0] + " did not end in time", ""};
  captured.status = *status;
  return captured;
}

}  // namespace yonder
