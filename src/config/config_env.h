#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config_store.h"
#include "model/sandbox_spec.h"

namespace yonder::config {

// What the environment says:
//
//   REMOTE_SANDBOX_LIST   a JSON array of {host, name?, user?, port?, password?, key_file?,
//                         key_passphrase?}; REMOTE_HOST and its companions do not count then
//   REMOTE_HOST, REMOTE_PORT, REMOTE_USER, REMOTE_PASSWORD, REMOTE_KEY_FILE, REMOTE_KEY_PASSPHRASE
//   SSH_HOST              "user@host" or an alias; with SSH_PORT, SSH_KEY_PATH
//
// A variable that is set but empty counts as not set: many programs cannot unset one. Neither a
// user nor a secret is required: ssh's own configuration, the agent and the default keys may do.
struct EnvironmentSettings {
  std::vector<SandboxSpec> sandboxes;
  std::vector<SourceNote> sources;
  std::vector<std::string> warnings;
};

// Pure. Every failure is Errc::Config and names the variable, never what a secret one holds.
Result<EnvironmentSettings> read_environment(const std::map<std::string, std::string>& environment,
                                             const std::string& home);

}  // namespace yonder::config
