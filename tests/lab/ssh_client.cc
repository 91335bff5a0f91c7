#include "lab/ssh_client.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "lab/command.h"

namespace yonder::lab {
namespace {

constexpr std::uint64_t kSmallFile = 1 << 20;

std::string host_block(const Lab& lab, const SshHost& host) {
  std::string block = concat("Host ", host.alias, "\n");
  for (const auto& line : host.extra) block += concat("  ", line, "\n");
  block += concat("  HostName 127.0.0.1\n  Port ", host.port, "\n  User ", host.user, "\n");
  block += concat("  UserKnownHostsFile ", known_hosts_path(lab, host.alias), "\n");
  block += concat("  StrictHostKeyChecking ", host.host_key.empty() ? "accept-new" : "yes", "\n");
  if (!host.identity_file.empty()) {
    block += concat("  IdentityFile ", host.identity_file, "\n  IdentitiesOnly yes\n");
  }
  return block;
}

}  // namespace

Result<SshKey> SshKey::generate(const std::string& path, const std::string& passphrase) {
  TRY(run_command(
      {"ssh-keygen", "-q", "-t", "ed25519", "-C", "lab", "-N", passphrase, "-f", path}));
  TRY_ASSIGN(const std::string line, read_file(path + ".pub", kSmallFile));
  return SshKey{.path = path, .public_key = std::string(trim(line))};
}

std::string known_hosts_path(const Lab& lab, const std::string& alias) {
  return concat(lab.client_home(), "/.ssh/known_hosts_", alias);
}

Result<void> write_ssh_config(const Lab& lab, const std::vector<SshHost>& hosts) {
  std::string config;
  for (const auto& host : hosts) {
    config += host_block(lab, host);
    if (host.host_key.empty()) continue;
    TRY(write_file_atomically(known_hosts_path(lab, host.alias),
                              concat("[127.0.0.1]:", host.port, " ", host.host_key, "\n"),
                              Durability::Process));
  }
  return write_file_atomically(lab.client_home() + "/.ssh/config", config, Durability::Process);
}

Result<Askpass> Askpass::create(Lab& lab, const Answers& answers) {
  TRY_ASSIGN(const std::string directory, lab.new_directory("askpass"));
  Askpass askpass(directory + "/askpass");
  std::string script = concat("#!/bin/sh\nprintf '%s\\n' \"$1\" >>",
                              shell_quote(askpass.program_ + ".questions"), "\ncase \"$1\" in\n");
  for (const auto& [part, answer] : answers) {
    script += concat("*", shell_quote(part), "*) printf '%s\\n' ", shell_quote(answer), ";;\n");
  }
  script += "*) exit 1;;\nesac\n";
  TRY(write_file_atomically(askpass.program_, script, Durability::Process));
  if (::chmod(askpass.program_.c_str(), 0755) != 0) return errno_error("chmod askpass");
  return askpass;
}

std::vector<std::string> Askpass::environment() const {
  return {"SSH_ASKPASS=" + program_, "SSH_ASKPASS_REQUIRE=force"};
}

std::vector<std::string> Askpass::questions() const {
  const auto content = read_file(program_ + ".questions", kSmallFile);
  if (!content) return {};
  auto lines = split(*content, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

Result<Captured> run_ssh(const Lab& lab, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& more_environment) {
  std::vector<std::string> argv{"ssh"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto environment = lab.environment();
  environment.insert(environment.end(), more_environment.begin(), more_environment.end());
  return capture(argv, environment);
}

}  // namespace yonder::lab
