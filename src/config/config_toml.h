#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config_store.h"
#include "model/sandbox_spec.h"

namespace yonder::config {

// What config.toml says. Its keys:
//
//   active = "NAME"
//   [sandbox.NAME]
//   backend = "ssh" | "local"            (default "ssh")
//   host, user, port, key_file           where it is; only host is required
//   password, key_passphrase             or better:
//   password_command                     a shell line on this machine that prints the password
//   cwd                                  where commands start
//   connect_timeout_s, idle_close_s      whole seconds
//   host_keys = "user" | "accept-new"    (default "user": as ~/.ssh/config says)
//   [sync]
//   allow = ["/path", ...]               agents may sync only what lies below these
//   allow_secrets = true                 also places that usually hold secrets
struct TomlSettings {
  std::vector<SandboxSpec> sandboxes;  // in the order of the file
  std::string active;                  // empty: not said
  std::string active_origin;           // "config.toml:1"
  SyncSettings sync;
  bool holds_secret = false;  // a password or passphrase in plain text
  bool is_empty = false;      // the file is there, and nothing is in it
};

// Pure. `shown_path` is for messages, `home` for "~". Every failure is Errc::Config and says file,
// line and key, and never a value that could be a secret.
Result<TomlSettings> parse_config_toml(std::string_view text, const std::string& shown_path,
                                       const std::string& home);

}  // namespace yonder::config
