#include "lab/guard.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/fd.h"
#include "base/text.h"
#include "lab/processes.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

constexpr int kNoStatus = -1;

// A killed CTest leaves its tests running. Only for CTest: what a shell has put into the background
// may well outlive the shell.
void end_with_ctest() {
  const pid_t parent = ::getppid();
  std::string name;
  std::getline(std::ifstream(concat("/proc/", parent, "/comm")), name);
  if (name != "ctest") return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

// The end of the work as that of this process: CTest tells a crash from a failure.
[[noreturn]] void end_like(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);  // the work has left one already, if it shall
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  ::_exit(1);
}

volatile std::sig_atomic_t limit_reached = 0;

void set_limit() {
  const char* seconds = std::getenv("YONDER_TEST_ENDS_S");
  if (seconds == nullptr || std::atoi(seconds) <= 0) return;
  ::signal(SIGALRM, [](int) { limit_reached = 1; });
  ::alarm(static_cast<unsigned>(std::atoi(seconds)));
}

// CTest, at its own limit, kills the keeper too, which then cannot clean up.
void end_at_the_limit(pid_t keeper, Fd& result) {
  set_limit();
  pollfd told{result.get(), POLLIN, 0};
  while (limit_reached == 0) {
    if (::poll(&told, 1, 500) > 0) return;
  }
  std::fputs("the test still runs at its time limit: it hangs\n", stderr);
  result.reset();  // which the keeper notices
  ::waitpid(keeper, nullptr, 0);
  ::_exit(1);
}

[[noreturn]] void be_the_front(pid_t keeper, Fd& result) {
  end_at_the_limit(keeper, result);
  int status = kNoStatus;
  const auto n = read_some(result, reinterpret_cast<char*>(&status), sizeof status);
  ::waitpid(keeper, nullptr, 0);
  end_like(n && *n == sizeof status ? status : kNoStatus);
}

// The output is often read to its end, which is when the work ends: the keeper must not hold it.
void let_go_of_the_test() {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
  if (::chdir("/") != 0) return;
}

// What has lost its parent comes to the keeper, which reaps it as init does: a test of an hour
// would leave thousands of zombies. True when the work has ended too.
bool reap_all(pid_t work, int& status) {
  bool over = false;
  int raw = 0;
  for (pid_t pid = ::waitpid(-1, &raw, WNOHANG); pid > 0; pid = ::waitpid(-1, &raw, WNOHANG)) {
    if (pid != work) continue;
    over = true;
    status = raw;
  }
  return over;
}

// Returns when the work has ended or the front is gone.
int wait_for_either(pid_t work, const Fd& front) {
  constexpr int kReapMs = 50;
  const Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, work, 0)));
  std::array<pollfd, 2> either{pollfd{front.get(), 0, 0}, pollfd{ended.get(), POLLIN, 0}};
  while (true) {
    ::poll(either.data(), either.size(), kReapMs);
    int status = kNoStatus;
    if (reap_all(work, status)) return status;
    if ((either[0].revents & (POLLERR | POLLHUP)) != 0) return kNoStatus;
  }
}

void end_all_below() {
  eventually([] {
    for (const pid_t pid : descendants_of(::getpid())) ::kill(pid, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return descendants_of(::getpid()).empty();
  });
}

// `result` is the pipe to the front: written once, and its other end closes when the front dies.
[[noreturn]] void keep(pid_t work, const Fd& result, const KeeperDuties& duties) {
  let_go_of_the_test();
  const int status = wait_for_either(work, result);
  end_all_below();
  if (duties.after) duties.after();
  static_cast<void>(
      write_all(result, std::string_view(reinterpret_cast<const char*>(&status), sizeof status)));
  ::_exit(0);
}

void become_the_keeper() {
  ::setsid();
  ::prctl(PR_SET_NAME, "yonder-lab-keep");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void ignore_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
}

pid_t fork_or_die() {
  const pid_t pid = ::fork();
  if (pid < 0) std::perror("fork");
  if (pid < 0) ::_exit(1);
  return pid;
}

}  // namespace

void guard_this_process(const KeeperDuties& duties) {
  if (std::getenv("YONDER_UNGUARDED") != nullptr) {
    if (duties.before) duties.before();
    return;
  }
  end_with_ctest();
  std::fflush(nullptr);
  auto result = make_pipe();
  if (!result) ::_exit(1);
  const pid_t keeper = fork_or_die();
  if (keeper > 0) {
    result->write.reset();
    be_the_front(keeper, result->read);
  }
  result->read.reset();
  become_the_keeper();
  if (duties.before) duties.before();
  const pid_t self = ::getpid();
  const pid_t work = fork_or_die();
  if (work > 0) {
    ignore_signals();
    keep(work, result->write, duties);
  }
  ::prctl(PR_SET_NAME, program_invocation_short_name);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != self) ::_exit(1);
}

}  // namespace yonder::lab
