#include "ops/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"

namespace yonder::ops {
namespace {

// What the new process and the one between us and it say, before the program is started.
struct Word {
  enum Kind : int { Pid, Failure } kind = Pid;
  int value = 0;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  // The system's functions do not write to them, whatever their types say.
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

void tell(int pipe, Word word) {
  [[maybe_unused]] const ssize_t n = ::write(pipe, &word, sizeof(word));
}

void close_between(int first, int last) {
  if (first > last) return;
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  constexpr int kUsualMost = 1024;
  for (int fd = first; fd <= last && fd < kUsualMost; ++fd) ::close(fd);
}

void forget_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE}) ::signal(number, SIG_DFL);
}

constexpr int kStandardOutput = 1;
constexpr auto kHandOverTime = std::chrono::seconds(20);

// Between fork and exec of a program with threads: nothing here may allocate.
struct Prepared {
  char* const* argv;
  char* const* environment;
  int input;
  int null;
  int log;
  int pipe;
};

[[noreturn]] void become_worker(const Prepared& prepared) {
  ::dup2(prepared.input, STDIN_FILENO);
  ::dup2(prepared.null, kStandardOutput);
  ::dup2(prepared.log, STDERR_FILENO);
  close_between(3, prepared.pipe - 1);
  constexpr int kMostFd = 1 << 20;
  close_between(prepared.pipe + 1, kMostFd);
  forget_signals();
  ::execve(prepared.argv[0], prepared.argv, prepared.environment);
  // The program's file was replaced while we ran; this one is still the old one.
  ::execve("/proc/self/exe", prepared.argv, prepared.environment);
  tell(prepared.pipe, {Word::Failure, errno});
  ::_exit(127);
}

[[noreturn]] void become_parent(const Prepared& prepared) {
  ::setsid();
  const pid_t worker = ::fork();
  if (worker == 0) {
    ::setpgid(0, 0);
    become_worker(prepared);
  }
  tell(prepared.pipe, worker > 0 ? Word{Word::Pid, worker} : Word{Word::Failure, errno});
  ::_exit(0);
}

Result<pid_t> hear(int pipe) {
  pid_t worker = 0;
  Word word;
  while (true) {
    const ssize_t n = ::read(pipe, &word, sizeof(word));
    if (n < 0 && errno == EINTR) continue;
    if (n != static_cast<ssize_t>(sizeof(word))) break;
    if (word.kind == Word::Failure) {
      return errno_error("the worker could not be started", word.value);
    }
    worker = word.value;
  }
  if (worker > 0) return worker;
  return Error{Errc::Internal, "the worker could not be started", "try again"};
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

#ifdef __linux__
constexpr std::uint64_t kMostStat = 4096;

std::string boot_id() {
  const auto text = read_file("/proc/sys/kernel/random/boot_id", kMostStat);
  return text ? std::string(trim(*text)) : std::string();
}

// "pid:[4026531836]"
std::string pid_namespace() {
  std::array<char, 64> text{};
  const ssize_t n = ::readlink("/proc/self/ns/pid", text.data(), text.size());
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : std::string();
}

struct Stat {
  char state = '?';
  std::string start_time;
};

std::optional<Stat> stat_of(std::int64_t pid) {
  const auto text = read_file(concat("/proc/", pid, "/stat"), kMostStat);
  if (!text) return std::nullopt;
  const std::size_t name_end = text->rfind(')');  // the name may hold anything
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return std::nullopt;
  const auto fields = split(std::string_view(*text).substr(name_end + 2), ' ');
  constexpr std::size_t kStartTime = 19;  // field 22; the state is field 3
  if (fields.size() <= kStartTime || fields[0].empty()) return std::nullopt;
  return Stat{.state = fields[0][0], .start_time = fields[kStartTime]};
}
#endif

}  // namespace

#ifdef __linux__
std::optional<store::WorkerKey> worker_key(std::int64_t pid) {
  const auto stat = stat_of(pid);
  if (!stat || stat->state == 'Z' || stat->state == 'X') return std::nullopt;
  return store::WorkerKey{.pid = pid,
                          .start_time = stat->start_time,
                          .boot_id = boot_id(),
                          .host = host_name(),
                          .pid_namespace = pid_namespace()};
}
#else
// Only as much as there is: the process of this number.
std::optional<store::WorkerKey> worker_key(std::int64_t pid) {
  if (::kill(static_cast<pid_t>(pid), 0) != 0) return std::nullopt;
  return store::WorkerKey{.pid = pid, .host = host_name()};
}
std::string pid_namespace() {
  return "";
}
#endif

Sight look_for(const store::WorkerKey& key) {
  if (key.pid <= 0) return Sight::Gone;
  // Its number means nothing where others count.
  const bool same_place =
      key.host.empty() || (key.host == host_name() && key.pid_namespace == pid_namespace());
  if (!same_place) return Sight::Elsewhere;
  auto now = worker_key(key.pid);
  if (!now) return Sight::Gone;
  now->host = key.host;  // an older yonder did not write it
  now->pid_namespace = key.pid_namespace;
  return *now == key ? Sight::Lives : Sight::Gone;
}

bool signal_worker(const store::WorkerKey& key, int number, bool group) {
  const auto pid = static_cast<pid_t>(key.pid);
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
  // A descriptor stays with its process: whoever gets the number next is not meant.
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!lives(key)) return false;
  if (process) {
    // The group first, while its leader still holds its number.
    if (group) ::kill(-pid, number);
    return ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0) == 0 || group;
  }
#endif
  if (!lives(key)) return false;
  if (group) ::kill(-pid, number);
  return ::kill(pid, number) == 0 || group;
}

Result<store::WorkerKey> start_worker(const WorkerCommand& command) {
  TRY_ASSIGN(Pipe pipe, make_pipe());
  TRY_ASSIGN(Pipe input, make_pipe());
  TRY_ASSIGN(const Fd null, open_file("/dev/null", O_RDWR));
  TRY_ASSIGN(const Fd log, open_file(command.log_file, O_WRONLY | O_CREAT | O_APPEND));
  const auto argv = pointers(command.argv);
  const auto environment = pointers(command.environment);
  const Prepared prepared{.argv = argv.data(),
                          .environment = environment.data(),
                          .input = input.read.get(),
                          .null = null.get(),
                          .log = log.get(),
                          .pipe = pipe.write.get()};
  const pid_t between = ::fork();
  if (between < 0) return errno_error("fork");
  if (between == 0) become_parent(prepared);
  pipe.write.reset();
  auto worker = hear(pipe.read.get());
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  TRY_ASSIGN(const pid_t pid, std::move(worker));
  input.read.reset();
  TRY(set_nonblocking(input.write));
  TRY(write_all(input.write, command.input.reveal(), Deadline::after(kHandOverTime)));
  return worker_key(pid).value_or(store::WorkerKey{.pid = pid});
}

}  // namespace yonder::ops
