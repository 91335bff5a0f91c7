#include "config/config_env.h"

#include <algorithm>
#include <array>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/address.h"
#include "config/destination.h"
#include "config/sandbox_list.h"

namespace yonder::config {
namespace {

constexpr std::array kCompanions{"REMOTE_PORT", "REMOTE_USER", "REMOTE_PASSWORD", "REMOTE_KEY_FILE",
                                 "REMOTE_KEY_PASSPHRASE"};

Error as_config(Error error) {
  error.code = Errc::Config;
  return error;
}

class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables)
      : variables_(variables) {}

  std::string text(const char* name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::string() : found->second;
  }
  bool has(const char* name) const { return !text(name).empty(); }

  // For what goes into a command line: blanks around it came with the quoting of some launcher.
  std::string word(const char* name) const { return std::string(trim(text(name))); }

  Result<int> port(const char* name) const {
    if (!has(name)) return 0;
    const auto port = parse_port(word(name));
    if (port) return *port;
    return Error{Errc::Config, concat(name, " must be a number from 1 to 65535"), ""};
  }

  Result<std::string> key_file(const char* name, const std::string& home) const {
    if (!has(name)) return std::string();
    auto path = key_file_path(text(name), home, name);
    if (!path) return as_config(std::move(path).error());
    return path;
  }

  const std::map<std::string, std::string>& all() const { return variables_; }

 private:
  const std::map<std::string, std::string>& variables_;
};

Result<SandboxSpec> remote_host(const Environment& env, const std::string& home) {
  SandboxSpec spec;
  spec.origin = "REMOTE_HOST";
  spec.host_keys = HostKeyPolicy::AcceptNew;
  spec.host = env.word("REMOTE_HOST");
  spec.name = spec.host;
  if (auto checked = check_host(spec.host, "REMOTE_HOST"); !checked) {
    return as_config(std::move(checked).error());
  }
  if (auto checked = check_name(spec.name, "REMOTE_HOST"); !checked) {
    return as_config(std::move(checked).error());
  }
  spec.user = env.word("REMOTE_USER");
  if (!spec.user.empty()) {
    auto checked = check_user(spec.user, "REMOTE_USER");
    if (!checked) return as_config(std::move(checked).error());
  }
  TRY_ASSIGN(spec.port, env.port("REMOTE_PORT"));
  TRY_ASSIGN(spec.key_file, env.key_file("REMOTE_KEY_FILE", home));
  spec.password = Secret(env.text("REMOTE_PASSWORD"));
  spec.key_passphrase = Secret(env.text("REMOTE_KEY_PASSPHRASE"));
  return spec;
}

// The user's own ssh settings decide about host keys: SSH_HOST may well be one of their aliases.
Result<SandboxSpec> ssh_host(const Environment& env, const std::string& home) {
  const std::string text = env.word("SSH_HOST");
  auto destination = parse_destination(text, "SSH_HOST");
  if (!destination) return as_config(std::move(destination).error());
  SandboxSpec spec = spec_of(*destination);
  spec.name = looks_like_destination(text) && !destination->user.empty()
                  ? destination_name(*destination)
                  : destination->host;
  spec.origin = "SSH_HOST";
  if (auto checked = check_name(destination->host, "SSH_HOST"); !checked) {
    return as_config(std::move(checked).error());
  }
  TRY_ASSIGN(const int port, env.port("SSH_PORT"));
  if (port != 0 && spec.port != 0 && port != spec.port) {
    return Error{Errc::Config, "SSH_HOST and SSH_PORT name different ports", "keep one of them"};
  }
  if (port != 0) spec.port = port;
  TRY_ASSIGN(spec.key_file, env.key_file("SSH_KEY_PATH", home));
  return spec;
}

// A setting that nobody reads is how work ends up on the wrong machine, so it is said.
void warn_of_idle_variables(const Environment& env, std::vector<std::string>& warnings) {
  if (!env.has("REMOTE_SANDBOX_LIST") && !env.has("REMOTE_HOST")) {
    for (const char* name : kCompanions) {
      if (env.has(name)) warnings.push_back(concat(name, " is set, but REMOTE_HOST is not"));
    }
  }
  if (!env.has("SSH_HOST")) {
    for (const char* name : {"SSH_PORT", "SSH_KEY_PATH"}) {
      if (env.has(name)) warnings.push_back(concat(name, " is set, but SSH_HOST is not"));
    }
  }
}

// Other programs have REMOTE_ variables too: only what is nearly one of ours is a slip.
void warn_of_misspelt_variables(const Environment& env, std::vector<std::string>& warnings) {
  static const std::vector<std::string> known{"REMOTE_SANDBOX_LIST",
                                              "REMOTE_HOST",
                                              "REMOTE_PORT",
                                              "REMOTE_USER",
                                              "REMOTE_PASSWORD",
                                              "REMOTE_KEY_FILE",
                                              "REMOTE_KEY_PASSPHRASE",
                                              "REMOTE_SANDBOX_EXPOSE_ADVANCED_TOOLS",
                                              "REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES",
                                              "REMOTE_SANDBOX_INLINE_SYNC_MAX_BYTES",
                                              "REMOTE_SANDBOX_MCP_HOME"};
  for (const auto& [name, value] : env.all()) {
    // REMOTE_ADDR is a web server's, and near to REMOTE_USER.
    if (!name.starts_with("REMOTE_") || name == "REMOTE_ADDR" || value.empty()) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest(name, known);
    if (near.empty()) continue;
    warnings.push_back(concat(printable(name), " is not used; did you mean ", near, "?"));
  }
}

}  // namespace

Result<EnvironmentSettings> read_environment(const std::map<std::string, std::string>& environment,
                                             const std::string& home) {
  const Environment env(environment);
  EnvironmentSettings out;
  if (env.has("REMOTE_SANDBOX_LIST")) {
    TRY_ASSIGN(out.sandboxes, parse_sandbox_list(env.text("REMOTE_SANDBOX_LIST"), home));
    const std::size_t count = out.sandboxes.size();
    out.sources.push_back(
        {"REMOTE_SANDBOX_LIST", concat(count, count == 1 ? " sandbox" : " sandboxes")});
    if (env.has("REMOTE_HOST")) {
      out.sources.push_back({"REMOTE_HOST", "not used, because REMOTE_SANDBOX_LIST is set"});
    }
  } else if (env.has("REMOTE_HOST")) {
    TRY_ASSIGN(SandboxSpec spec, remote_host(env, home));
    out.sources.push_back({"REMOTE_HOST", concat("sandbox ", spec.name)});
    out.sandboxes.push_back(std::move(spec));
  }
  if (env.has("SSH_HOST")) {
    TRY_ASSIGN(SandboxSpec spec, ssh_host(env, home));
    out.sources.push_back({"SSH_HOST", concat("sandbox ", spec.name)});
    out.sandboxes.push_back(std::move(spec));
  }
  warn_of_idle_variables(env, out.warnings);
  warn_of_misspelt_variables(env, out.warnings);
  return out;
}

}  // namespace yonder::config
