#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/secret.h"

namespace yonder {

enum class Backend { Local, Ssh };

enum class HostKeyPolicy {
  UserSettings,  // whatever ~/.ssh/config says
  AcceptNew,     // for hosts that only Yonder's environment knows; a changed key is still refused
};

// Everything that is known about one place where work can run, whoever said it.
struct SandboxSpec {
  std::string name;
  Backend backend = Backend::Ssh;
  std::string host;  // an ssh alias or a host name; empty for Local
  std::string user;  // empty: ssh decides
  int port = 0;      // 0: ssh decides
  std::string key_file;
  Secret password;
  Secret key_passphrase;
  std::string password_command;  // a local shell line that prints the password
  std::string cwd;               // where commands start; empty: the home directory
  HostKeyPolicy host_keys = HostKeyPolicy::UserSettings;
  Duration connect_timeout = std::chrono::seconds(15);
  Duration idle_close = std::chrono::minutes(15);
  std::vector<std::string> labels;  // what people say of it, such as "a100"; to choose by
  std::string origin;               // who said it, such as "config.toml:12" or "REMOTE_HOST"
};

}  // namespace yonder
