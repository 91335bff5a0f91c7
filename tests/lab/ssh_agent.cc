#include "lab/ssh_agent.h"

#include "base/text.h"
#include "lab/command.h"

namespace yonder::lab {

Result<SshAgent> SshAgent::start(Lab& lab) {
  TRY_ASSIGN(const std::string directory, lab.new_directory("agent"));
  const std::string socket = directory + "/socket";
  TRY_ASSIGN(Daemon daemon,
             Daemon::start({.argv = {"ssh-agent", "-D", "-a", socket}, .log = directory + "/log"}));
  TRY(daemon.wait_for_log("SSH_AUTH_SOCK="));  // printed when it listens
  return SshAgent(std::move(daemon), socket);
}

Result<void> SshAgent::add(Lab& lab, const SshKey& key, const std::string& passphrase) {
  TRY_ASSIGN(const Askpass askpass, Askpass::create(lab, {{"passphrase", passphrase}}));
  auto environment = lab.environment();
  for (const auto& entry : SshAgent::environment()) environment.push_back(entry);
  for (const auto& entry : askpass.environment()) environment.push_back(entry);
  TRY_ASSIGN(const Captured added, capture({"ssh-add", "-q", key.path}, environment));
  if (added.status.success()) return {};
  return Error{Errc::Internal, concat("ssh-add: ", trim(added.err)), ""};
}

}  // namespace yonder::lab
