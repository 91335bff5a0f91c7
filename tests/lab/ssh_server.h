#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/daemon.h"
#include "lab/loopback.h"
#include "lab/processes.h"

namespace yonder::lab {

// What Sshd and Dropbear have in common: a listener on 127.0.0.1 and one process, or a small family
// of them, per connection. All signals go to processes found below the listener's own pid.
class SshServer {
 public:
  std::uint16_t port() const { return port_.number(); }
  pid_t pid() const { return daemon_ ? daemon_->pid() : -1; }
  // Of the present listener, since it was started.
  std::string log() const { return daemon_ ? daemon_->log() : std::string(); }
  // "ssh-ed25519 AAAA...", for known_hosts.
  const std::string& host_key() const { return host_key_; }

  // The connections that there are, logged in or not.
  std::size_t sessions() const;

  // Cuts every connection at the server's side, as a crash of its session process does. What the
  // sessions were running goes on as orphans. Returns how many there were, when they are gone.
  std::size_t kill_sessions();
  // A server that hangs: the kernel still accepts connections, nobody answers.
  void freeze();
  void thaw();
  // Established connections that hang while the network still acknowledges every byte.
  void freeze_sessions();
  void thaw_sessions();

  // Ends listener and sessions: a machine that goes away. The port stays reserved.
  void stop();
  // The same server, keys and port once more. The server must be stopped.
  Result<void> start_again();

 protected:
  struct Plan {
    DaemonOptions daemon;
    std::string ready;            // what the log says when the server listens
    std::string session_program;  // how the names of its processes start
  };
  SshServer(FreePort port, Plan plan, std::string host_key)
      : port_(std::move(port)), plan_(std::move(plan)), host_key_(std::move(host_key)) {}
  SshServer(SshServer&&) noexcept = default;
  SshServer& operator=(SshServer&&) = delete;
  ~SshServer() { stop(); }

 private:
  std::vector<pid_t> session_processes() const;
  void signal_sessions(int number) const;

  FreePort port_;
  Plan plan_;
  std::string host_key_;
  std::optional<Daemon> daemon_;
};

}  // namespace yonder::lab
