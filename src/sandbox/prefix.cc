#include "sandbox/prefix.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string_view>

#include "base/child_environment.h"
#include "base/text.h"
#include "config/address.h"
#include "sandbox/ssh_option.h"

namespace yonder::sandbox {
namespace {

using Words = std::vector<std::string>;

// Work on this machine must not find Yonder's own settings and believe it is Yonder. Links ask
// through the broker, whichever program the user has for that.
bool is_passed_on(std::string_view variable, Backend backend) {
  return !variable.starts_with("SSH_ASKPASS") &&
         !(backend == Backend::Local && variable.starts_with("YONDER_"));
}

Words environment_for(Backend backend, const Words& ours) {
  Words passed = without_secrets(ours);
  std::erase_if(passed, [&](const auto& variable) { return !is_passed_on(variable, backend); });
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
  argv.insert(argv.end(), options.overrides.begin(), options.overrides.end());
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
  // Not environment_for(): a person's own program may ask at a person's own terminal.
  link::CommandPrefix prefix{.environment = without_secrets(options.environment)};
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
