#pragma once

#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/subprocess.h"
#include "link/askpass_broker.h"
#include "link/prefix.h"
#include "model/sandbox_spec.h"
#include "sandbox/ssh_agent.h"
#include "sandbox/ssh_ways.h"

namespace yonder::sandbox {

// Connections that a person has logged in to, kept by ssh itself behind a control socket in our
// runtime directory: a one-time code is typed once, and every link after that uses it. One is only
// used while ssh's settings still lead to where it has logged in. Thread: any.
class KeptLogins {
 public:
  struct Places {
    std::string directory;  // of the sockets
    std::string home;       // of the user
  };
  KeptLogins(const Places& places, std::vector<std::string> environment,
             link::AskpassBroker* broker, bool interactive);

  // The words for a link, through a kept login where there is one.
  Result<link::CommandPrefix> prefix(const SandboxSpec& spec) const;

  // The words for a terminal of a person, likewise.
  Result<link::CommandPrefix> terminal(const SandboxSpec& spec, const std::string& command) const;

  // Logs in, asking whoever the broker asks. Returns the control socket. Nothing is kept of a login
  // that failed or was cancelled.
  Result<std::string> open(const SandboxSpec& spec, const CancelToken& cancel) const;
  // Those too that lead to where ssh's settings led before. NotFound when none is kept.
  Result<void> close(const SandboxSpec& spec) const;
  bool exists(const SandboxSpec& spec) const;
  // Whether the ssh that keeps it is there, and says so.
  bool stands(const SandboxSpec& spec) const;

  // Where ssh's settings lead to now; empty while no link was made. Costs a few stat() calls,
  // unless a file of these settings has changed.
  std::string target(const SandboxSpec& spec) const { return ways_.target(spec); }

  // Where ssh gets keys from that are in no file.
  const SshAgentSeen& agent() const { return environment_.agent(); }

 private:
  Result<void> run_login(const SandboxSpec& spec, const link::CommandPrefix& words,
                         const CancelToken& cancel) const;
  void end_master(const SandboxSpec& spec, const std::string& socket) const;
  const std::vector<std::string>& environment_for(const SandboxSpec& spec) const;
  Result<Captured> ask_master(const SandboxSpec& spec, const std::string& socket,
                              const char* what) const;
  std::string socket_path(const SandboxSpec& spec, const std::string& settings) const;
  std::vector<std::string> sockets_of(const SandboxSpec& spec) const;
  std::string settings_of(const SandboxSpec& spec) const;

  std::string directory_;
  SshEnvironment environment_;
  link::AskpassBroker* broker_;
  bool interactive_;
  mutable SshWays ways_;
};

}  // namespace yonder::sandbox
