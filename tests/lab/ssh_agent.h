#pragma once

#include <string>
#include <vector>

#include "lab/daemon.h"
#include "lab/lab.h"
#include "lab/ssh_client.h"

namespace yonder::lab {

// A real ssh-agent that ends with its owner.
class SshAgent {
 public:
  static Result<SshAgent> start(Lab& lab);

  Result<void> add(Lab& lab, const SshKey& key, const std::string& passphrase = {});
  // For clients that shall use this agent.
  std::vector<std::string> environment() const { return {"SSH_AUTH_SOCK=" + socket_}; }

 private:
  SshAgent(Daemon daemon, std::string socket)
      : daemon_(std::move(daemon)), socket_(std::move(socket)) {}
  Daemon daemon_;
  std::string socket_;
};

}  // namespace yonder::lab
