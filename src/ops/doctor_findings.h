#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/machine.h"
#include "model/sandbox_spec.h"
#include "ops/doctor.h"
#include "sandbox/ssh_agent.h"

namespace yonder::ops {

// What `doctor` saw, apart from what it means: the meaning is pure and can be tested whole.

struct SeenSource {
  std::string source;
  std::string found;
};

struct SshClient {
  std::string path;                // empty: not found
  std::string version;             // "OpenSSH_9.2p1 ..."
  std::optional<Error> no_answer;  // it could not be asked
};

struct HereSeen {
  std::string config_file;
  std::optional<Error> config_error;
  std::vector<SeenSource> sources;
  std::vector<std::string> warnings;
  SshClient ssh;
  bool ssh_wanted = true;  // some sandbox is reached by it
  std::optional<sandbox::SshAgentSeen> agent;
  std::string home;          // HOME
  std::string account_home;  // where ssh looks for its settings; empty: not known
};

struct KeyFile {
  bool exists = false;
  bool regular = false;
  unsigned mode = 0;  // permission bits
};

// What ssh itself makes of a host, by `ssh -G`.
struct SshSettings {
  std::string hostname;
  std::string user;
  std::string port;
  std::string proxy;  // ProxyJump, or ProxyCommand
  std::string control_path;
};

// A machine that has answered.
struct Reached {
  double seconds = 0;  // until the link was there
  Machine machine;
  std::optional<Error> no_runs;  // why none are started or looked for there
  bool deployed = false;
  std::string noise;
  std::int64_t clock_ahead_ms = 0;
  std::vector<double> round_trips_ms;
  std::optional<ProbeReport> probe;
  std::optional<Error> probe_error;
};

struct SandboxSeen {
  SandboxSpec spec;
  bool is_active = false;
  bool login_kept = false;
  std::optional<KeyFile> key_file;
  std::optional<SshSettings> ssh;
  std::optional<Error> ssh_error;
  std::optional<Reached> reached;
  std::optional<Error> connect_error;
};

std::vector<Finding> findings_here(const HereSeen& seen);
std::vector<Finding> findings_of(const SandboxSeen& seen);

// The output of `ssh -G`; what is not there stays empty.
SshSettings parse_ssh_settings(std::string_view text);

}  // namespace yonder::ops
