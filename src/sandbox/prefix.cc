#include "sandbox/prefix.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <string_view>

#include "base/text.h"
#include "config/address.h"
#include "sandbox/ssh_option.h"

namespace yonder::sandbox {
namespace {

using Words = std::vector<std::string>;

bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 3> kSecrets{"REMOTE_PASSWORD", "REMOTE_KEY_PASSPHRASE",
                                                     "REMOTE_SANDBOX_LIST"};
  return std::find(kSecrets.begin(), kSecrets.end(), name) != kSecrets.end() ||
         name.starts_with("YONDER_ASKPASS_") || name.starts_with("SSH_ASKPASS");
}

// Work on this machine must not find Yonder's own settings and believe it is Yonder.
bool is_passed_on(std::string_view variable, Backend backend) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return !is_secret(name) && !(backend == Backend::Local && name.starts_with("YONDER_"));
}

Words environment_for(Backend backend, const Words& ours) {
  Words passed;
  for (const auto& variable : ours) {
    if (is_passed_on(variable, backend)) passed.push_back(variable);
  }
  return passed;
}

void add(Words& argv, std::initializer_list<std::string> words) {
  argv.insert(argv.end(), words);
}

// ssh counts whole seconds, and takes 0 for "for ever".
std::string whole_seconds(Duration duration) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(duration).count();
  return std::to_string(std::max<decltype(seconds)>(seconds, 1));
}

enum class Purpose {
  Pipe,       // a shell's stdin and stdout
  KeepLogin,  // nothing but a connection that others can use
  Terminal,   // a person's own terminal
};

// A byte pipe to a shell and nothing else, whatever else the user's settings do in a terminal.
Words base_options(const SandboxSpec& spec, Purpose purpose) {
  const bool terminal = purpose == Purpose::Terminal;
  return {"ssh", terminal ? "-t" : "-T",
          "-o",  "ConnectTimeout=" + whole_seconds(spec.connect_timeout),
          "-o",  "ServerAliveInterval=15",
          "-o",  "ServerAliveCountMax=2",
          "-o",  "RemoteCommand=none",
          "-o",  terminal ? "RequestTTY=force" : "RequestTTY=no",
          "-o",  "ClearAllForwardings=yes",
          "-o",  "PermitLocalCommand=no"};
}

Result<Words> ssh_words(const SandboxSpec& spec, const PrefixOptions& options, Purpose purpose) {
  TRY(config::check_host(spec.host, "the host"));
  if (!spec.user.empty()) TRY(config::check_user(spec.user, "the user"));
  Words argv = base_options(spec, purpose);
  if (purpose != Purpose::KeepLogin) add(argv, {"-o", "ControlMaster=no"});
  if (purpose == Purpose::KeepLogin) {
    add(argv, {"-N", "-f", "-o", "ControlMaster=yes", "-o", "ControlPersist=8h"});
  }
  if (!options.control_path.empty()) {
    TRY_ASSIGN(std::string control, ssh_path_option("ControlPath", options.control_path));
    add(argv, {"-o", std::move(control)});
  }
  if (spec.host_keys == HostKeyPolicy::AcceptNew) {
    add(argv, {"-o", "StrictHostKeyChecking=accept-new"});
  }
  if (!options.ciphers.empty()) add(argv, {"-o", "Ciphers=" + options.ciphers});
  if (!options.interactive) add(argv, {"-o", "NumberOfPasswordPrompts=1"});
  if (spec.port != 0) add(argv, {"-p", std::to_string(spec.port)});
  if (!spec.key_file.empty()) {
    // Not -i: with it, ssh drops a key that it cannot find, or whose name holds a '%', and offers
    // other keys instead.
    TRY_ASSIGN(std::string key, ssh_path_option("IdentityFile", spec.key_file));
    add(argv, {"-o", std::move(key), "-o", "IdentitiesOnly=yes"});
  }
  if (!spec.user.empty()) add(argv, {"-l", spec.user});
  add(argv, {"--", spec.host});
  if (purpose == Purpose::Pipe) argv.emplace_back("exec sh");
  return argv;
}

}  // namespace

Result<link::CommandPrefix> prefix_for(const SandboxSpec& spec, const PrefixOptions& options) {
  link::CommandPrefix prefix;
  prefix.environment = environment_for(spec.backend, options.environment);
  if (spec.backend == Backend::Local) {
    prefix.argv = {"sh"};
    return prefix;
  }
  TRY_ASSIGN(prefix.argv, ssh_words(spec, options, Purpose::Pipe));
  prefix.asks_questions = true;
  return prefix;
}

Result<link::CommandPrefix> terminal_for(const SandboxSpec& spec, const PrefixOptions& options,
                                         const std::string& command) {
  link::CommandPrefix prefix{.environment = options.environment};
  if (spec.backend == Backend::Local) {
    prefix.argv = {"sh", "-c", command};
    return prefix;
  }
  TRY_ASSIGN(prefix.argv, ssh_words(spec, options, Purpose::Terminal));
  prefix.argv.push_back(command);
  return prefix;
}

Result<link::CommandPrefix> login_for(const SandboxSpec& spec, const PrefixOptions& options) {
  if (spec.backend != Backend::Ssh) {
    return Error{Errc::InvalidArgument, concat("'", spec.name, "' needs no login"), ""};
  }
  link::CommandPrefix prefix{.environment = environment_for(spec.backend, options.environment),
                             .asks_questions = true};
  TRY_ASSIGN(prefix.argv, ssh_words(spec, options, Purpose::KeepLogin));
  return prefix;
}

}  // namespace yonder::sandbox
