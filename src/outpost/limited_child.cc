#include "outpost/limited_child.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include "outpost/detach.h"

namespace yonder::outpost {
namespace {

// A killed process is gone within this time, unless the kernel itself waits for something.
constexpr auto kPatience = std::chrono::milliseconds(100);
constexpr auto kPause = std::chrono::microseconds(200);

bool is_subreaper() {
  int is = 0;
  return ::prctl(PR_GET_CHILD_SUBREAPER, &is) == 0 && is != 0;
}

struct Outputs {
  int out = -1;
  int err = -1;
  int end = -1;  // how the work ended, for whoever cannot wait for it
};

// Between a supervisor and the work: whatever the work leaves behind becomes a child of this
// process, and not of the supervisor, who would take it for a part of its run.
[[noreturn]] void stand_between(pid_t work, const Outputs& to) {
  ::close(to.out);  // else nobody would see the end of what is said
  ::close(to.err);
  ::prctl(PR_SET_NAME, "yonder-tool");
  int status = 0;
  ::waitpid(work, &status, 0);
  [[maybe_unused]] const auto told = ::write(to.end, &status, sizeof status);
  while (true) ::pause();  // until it is killed
}

void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

void work_in_grandchild(const Outputs& to) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t leader = ::getpid();
  const pid_t worker = ::fork();
  if (worker < 0) ::_exit(1);
  if (worker > 0) stand_between(worker, to);
  ::close(to.end);
  die_with(leader);
}

struct Parent {
  pid_t pid = -1;
  bool adopts = false;  // orphans below it
};

[[noreturn]] void work_in_child(const Parent& parent, const Outputs& to,
                                const std::function<void()>& work) {
  std::array kept{to.out, to.err, to.end};
  std::sort(kept.begin(), kept.end());
  leave_the_link({kept[0], kept[1], kept[2]});
  die_with(parent.pid);
  if (parent.adopts) {
    work_in_grandchild(to);
  } else {
    ::close(to.end);
  }
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(to.out, STDOUT_FILENO);
  ::dup2(to.err, STDERR_FILENO);
  ::close(to.out);
  ::close(to.err);
  work();
  ::_exit(0);
}

}  // namespace

Result<LimitedChild> LimitedChild::start(const std::function<void()>& work) {
  TRY_ASSIGN(Pipe out, make_pipe());
  TRY_ASSIGN(Pipe err, make_pipe());
  TRY_ASSIGN(Pipe end, make_pipe());
  const Parent parent{.pid = ::getpid(), .adopts = is_subreaper()};
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("fork");
  if (pid == 0) {
    const Outputs to{.out = out.write.get(), .err = err.write.get(), .end = end.write.get()};
    work_in_child(parent, to, work);
  }
  return LimitedChild(pid, std::move(out.read), std::move(err.read),
                      parent.adopts ? std::move(end.read) : Fd());
}

LimitedChild::LimitedChild(LimitedChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      end_(std::move(other.end_)) {}

LimitedChild::~LimitedChild() {
  if (pid_ <= 0) return;
  // What even KILL does not end now, or is in a session of its own, goes to the machine's first
  // process.
  const bool reaps = is_subreaper();
  if (reaps) ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  // Its number is ours until it is waited for. It leads a group from its first steps on.
  if (::kill(-pid_, SIGKILL) != 0) ::kill(pid_, SIGKILL);
  const Deadline deadline = Deadline::after(kPatience);
  while (::waitpid(pid_, nullptr, WNOHANG) == 0 && !deadline.expired()) {
    std::this_thread::sleep_for(kPause);
  }
  if (reaps) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool LimitedChild::learn_end(Said& said, const Deadline& deadline) const {
  if (end_) {
    pollfd told{end_.get(), POLLIN, 0};
    int status = 0;
    while (::poll(&told, 1, deadline.poll_timeout()) < 0 && errno == EINTR) continue;
    if (told.revents == 0 || ::read(end_.get(), &status, sizeof status) != sizeof status) {
      return false;
    }
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    said.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return true;
  }
  while (true) {
    siginfo_t end{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno != EINTR) return false;
    } else if (end.si_pid == pid_) {
      (end.si_code == CLD_EXITED ? said.status : said.signal) = end.si_status;
      return true;
    }
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(kPause);
  }
}

class Collector {
 public:
  Collector(std::vector<LimitedChild> children, std::size_t max_bytes)
      : children_(std::move(children)), said_(children_.size()), max_bytes_(max_bytes) {}

  std::vector<Said> until(const Deadline& deadline) {
    while (true) {
      std::vector<pollfd> fds;
      for (const auto& child : children_) {
        fds.push_back({child.out_.get(), POLLIN, 0});
        fds.push_back({child.err_.get(), POLLIN, 0});
      }
      const bool none = std::all_of(fds.begin(), fds.end(), [](auto& f) { return f.fd < 0; });
      if (none) return with_ends(deadline);
      const int ready =
          ::poll(fds.data(), static_cast<nfds_t>(fds.size()), deadline.poll_timeout());
      if (ready < 0 && errno != EINTR) break;
      if (deadline.expired()) break;
      for (std::size_t i = 0; i < children_.size(); ++i) {
        if (fds[2 * i].revents != 0) drain(i, children_[i].out_, said_[i].out);
        if (fds[2 * i + 1].revents != 0) drain(i, children_[i].err_, said_[i].err);
      }
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (children_[i].out_ || children_[i].err_) said_[i].end = Said::End::TooLate;
    }
    return with_ends(deadline);
  }

 private:
  // It may have closed its outputs long before its end.
  std::vector<Said> with_ends(const Deadline& deadline) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (said_[i].end != Said::End::Whole) continue;
      if (!children_[i].learn_end(said_[i], deadline)) said_[i].end = Said::End::TooLate;
    }
    return std::move(said_);
  }

  void drain(std::size_t i, Fd& from, std::string& into) {
    std::array<char, 16384> buffer{};
    const auto n = read_some(from, buffer.data(), buffer.size());
    if (n) into.append(buffer.data(), *n);
    if (!n || *n == 0) from.reset();
    if (into.size() <= max_bytes_) return;
    said_[i].end = Said::End::TooMuch;
    children_[i].out_.reset();
    children_[i].err_.reset();
  }

  std::vector<LimitedChild> children_;
  std::vector<Said> said_;
  std::size_t max_bytes_;
};

std::vector<Said> collect(std::vector<LimitedChild> children, std::size_t max_bytes,
                          const Deadline& deadline) {
  return Collector(std::move(children), max_bytes).until(deadline);
}

}  // namespace yonder::outpost
