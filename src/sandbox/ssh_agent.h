#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::sandbox {

// The agent that ssh will ask for keys. Clients often hand their servers a bare environment: then
// an agent that runs is looked for where desktops and systemd put it.
struct SshAgentSeen {
  std::string socket;               // empty: none
  std::string from;                 // "SSH_AUTH_SOCK", "its usual place" or "the user's systemd"
  std::optional<std::size_t> keys;  // nothing: it did not say
  std::vector<std::string> looked;  // the places, when nobody told us where it is
};

// Pure. Where an agent of the user listens, if there is one; the most likely place first.
std::vector<std::string> agent_places(const std::vector<std::string>& environment, uid_t user);
// Pure. The value in the output of `systemctl --user show-environment`; empty: none.
std::string agent_of_systemd(std::string_view shown);

// How many keys the agent at this socket has; nothing when none answers there in time, or when the
// socket belongs to another user.
std::optional<std::size_t> ask_agent(const std::string& socket, uid_t user);

// The environment for ssh, with the agent in it. Found when first asked for. Thread: any.
class SshEnvironment {
 public:
  explicit SshEnvironment(std::vector<std::string> environment) : plain_(std::move(environment)) {}

  // As it was given, for what is not ssh.
  const std::vector<std::string>& plain() const { return plain_; }
  const std::vector<std::string>& with_agent() const;
  const SshAgentSeen& agent() const;

 private:
  void look() const;

  std::vector<std::string> plain_;
  mutable std::once_flag looked_;
  mutable std::vector<std::string> whole_;
  mutable SshAgentSeen agent_;
};

}  // namespace yonder::sandbox
