#include "outpost/output_carrying.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "outpost/detach.h"
#include "outpost/held_record.h"
#include "outpost/output_pipe.h"
#include "outpost/processes.h"
#include "outpost/self.h"
#include "outpost/supervisor_signals.h"

namespace yonder::outpost {
namespace {

constexpr int kRestAfterMs = 1000;

bool logs_for_user(const RunRecord& record) {
  struct stat info {};
  return ::lstat(record.path("log").c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

// The first that one of them has open.
Fd find_pipe(const std::vector<pid_t>& members, const std::vector<std::uint64_t>& pipes,
             std::size_t place) {
  for (const pid_t pid : members) {
    if (place >= pipes.size()) break;
    if (Fd pipe = open_pipe_of(pid, pipes[place], O_RDONLY | O_NONBLOCK)) return pipe;
  }
  return {};
}

// Exactly one of those who try.
[[noreturn]] void write_instead(const HeldRecord& held, Fd out, Fd err) {
  be_writer({held.fd(), out.get(), err.get()});
  const RunRecord record = held.reachable();
  const Fd lock = lock_as_writer(record);
  if (!lock) ::_exit(0);
  std::array<WriterNote, 2> notes;
  notes[0].at_end = !out;
  notes[1].at_end = !err;
  const bool shared = logs_for_user(record);
  std::array<OutputWriter, 2> writers{
      OutputWriter(std::move(out), open_to_append(record, "out", shared), shared, notes[0]),
      OutputWriter(std::move(err), open_to_append(record, "err", false), false, notes[1])};
  carry(writers);
  ::_exit(0);
}

}  // namespace

// What is not there any more is not made again: a record that was removed stays removed.
Fd open_to_append(const RunRecord& record, const char* name, bool shared) {
  constexpr int kCareful = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  // Otherwise this process alone appends, and the kernel refuses to move bytes into such a file.
  Fd file(::open(record.path(name).c_str(), kCareful | (shared ? O_APPEND : 0)));
  if (file) ::fcntl(file.get(), F_SETFL, shared ? O_APPEND : 0);
  return file;
}

Fd lock_as_writer(const RunRecord& record) {
  Fd lock(::open(record.path("err").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.reset();
  return lock;
}

void be_writer(std::initializer_list<int> kept) {
  ::prctl(PR_SET_NAME, kWriterName);
  const sigset_t signals = supervisor_signals();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, not the end
  leave_the_link(kept);
  show_as("outpost output");
}

void carry(std::array<OutputWriter, 2>& writers) {
  bool busy = false;
  while (!writers[0].at_end() || !writers[1].at_end()) {
    std::array<pollfd, 2> fds{};
    for (std::size_t i = 0; i < fds.size(); ++i) {
      fds[i] = {writers[i].at_end() ? -1 : writers[i].pipe().get(), POLLIN, 0};
    }
    const bool ready = ::poll(fds.data(), fds.size(), busy ? kRestAfterMs : -1) > 0;
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].revents != 0) writers[i].step();
      if (!ready) writers[i].rest();
    }
    busy = ready;
  }
}

bool has_writer(const RunRecord& record) {
  const Fd file(::open(record.path("err").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return file && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void rescue_output(const RunRecord& record, const std::string& boot_id) {
  const auto read = record.read_alive();
  if (!read || !*read || (*read)->pipes.empty()) return;
  const wire::AliveRecord& alive = **read;
  if (!is_visible(alive, boot_id) || lives(alive.supervisor) || record.locked()) return;
  if (has_writer(record)) return;
  const auto members = find_members(members_of(record, observe(record, boot_id)));
  const HeldRecord held(record);
  if (!members || held.fd() < 0) return;
  Fd out = find_pipe(*members, alive.pipes, 0);
  Fd err = find_pipe(*members, alive.pipes, 1);
  if ((out || err) && ::fork() == 0) write_instead(held, std::move(out), std::move(err));
}

}  // namespace yonder::outpost
