#include "lab/ssh_server.h"

#include <signal.h>

#include "lab/wait.h"

namespace yonder::lab {

std::size_t SshServer::sessions() const {
  return pid() > 0 ? children_of(pid()).size() : 0;
}

// sshd: the listener has a privileged monitor per connection, whose child serves the connection.
// Killing the monitor would leave the connection open, so it must be the child. Root's sessions and
// dropbear's have no such pair: there the listener's child is the one.
std::vector<pid_t> SshServer::session_processes() const {
  std::vector<pid_t> found;
  if (pid() <= 0) return found;
  for (const auto& connection : children_of(pid())) {
    bool paired = false;
    for (const auto& process : children_of(connection.pid)) {
      if (!process.name.starts_with(plan_.session_program)) continue;
      found.push_back(process.pid);
      paired = true;
    }
    if (!paired) found.push_back(connection.pid);
  }
  return found;
}

void SshServer::signal_sessions(int number) const {
  for (const pid_t process : session_processes()) ::kill(process, number);
}

std::size_t SshServer::kill_sessions() {
  const std::size_t count = sessions();
  const auto connections = pid() > 0 ? children_of(pid()) : std::vector<Process>();
  kill_and_wait(session_processes());
  eventually([&] {
    for (const auto& connection : connections) {
      if (is_alive(connection.pid)) return false;
    }
    return true;
  });
  return count;
}

void SshServer::freeze() {
  if (pid() > 0) ::kill(pid(), SIGSTOP);
}

void SshServer::thaw() {
  if (pid() > 0) ::kill(pid(), SIGCONT);
}

void SshServer::freeze_sessions() {
  signal_sessions(SIGSTOP);
}

void SshServer::thaw_sessions() {
  signal_sessions(SIGCONT);
}

void SshServer::stop() {
  if (pid() <= 0) {
    daemon_.reset();
    return;
  }
  freeze();  // no connection can begin between the look at the sessions and the end
  auto family = session_processes();
  for (const auto& connection : children_of(pid())) family.push_back(connection.pid);
  kill_and_wait(family);
  daemon_->end();
  daemon_.reset();
}

Result<void> SshServer::start_again() {
  TRY_ASSIGN(Daemon daemon, Daemon::start(plan_.daemon));
  TRY(daemon.wait_for_log(plan_.ready));
  daemon_.emplace(std::move(daemon));
  return {};
}

}  // namespace yonder::lab
