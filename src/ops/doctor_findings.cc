#include "ops/doctor_findings.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/clean_text.h"
#include "base/quote.h"
#include "base/text.h"
#include "ops/doctor_machine.h"

namespace yonder::ops {
namespace {

using Findings = std::vector<Finding>;

// ssh asks our program for passwords without a terminal only since this version.
constexpr int kLeastMajor = 8;
constexpr int kLeastMinor = 4;

bool is_too_old(const std::string& version) {
  int major = 0;
  int minor = 0;
  // NOLINTNEXTLINE(cert-err34-c): two small numbers, and what does not fit is simply not judged
  if (std::sscanf(version.c_str(), "OpenSSH_%4d.%4d", &major, &minor) != 2) return false;
  return major < kLeastMajor || (major == kLeastMajor && minor < kLeastMinor);
}

Finding ssh_client_finding(const HereSeen& seen) {
  const SshClient& ssh = seen.ssh;
  Finding finding{.subject = "ssh"};
  if (ssh.path.empty()) {
    finding.verdict = seen.ssh_wanted ? Verdict::Problem : Verdict::Note;
    finding.seen = "there is no ssh in PATH";
    finding.fix = "install OpenSSH's client, or put it into PATH";
  } else if (ssh.no_answer) {
    finding.verdict = Verdict::Problem;
    finding.seen = concat(ssh.path, ": ", ssh.no_answer->message);
    finding.fix = ShellText("try it: ").arg(ssh.path).str() + " -V";
  } else {
    finding.seen = concat(ssh.path, ", ", ssh.version);
    if (is_too_old(ssh.version)) {
      finding.verdict = Verdict::Note;
      finding.fix = "passwords and one-time codes need OpenSSH 8.4 or later; keys work";
    }
  }
  return finding;
}

void add_agent(const HereSeen& seen, Findings& findings) {
  if (!seen.agent || !seen.ssh_wanted) return;
  const auto& agent = *seen.agent;
  Finding finding{.verdict = Verdict::Note, .subject = "ssh agent"};
  if (agent.socket.empty()) {
    finding.seen =
        concat("SSH_AUTH_SOCK is not set, and no agent answers at ", join(agent.looked, ", "));
    finding.fix = "only when your keys are in an agent: pass SSH_AUTH_SOCK to Yonder";
  } else if (!agent.keys) {
    finding.seen = concat("none answers at ", agent.socket, " (from ", agent.from, ")");
    finding.fix = "only when your keys are in an agent: start it, or correct SSH_AUTH_SOCK";
  } else {
    finding.verdict = Verdict::Ok;
    finding.seen = concat(agent.socket, " (from ", agent.from, "), ", *agent.keys,
                          *agent.keys == 1 ? " key" : " keys");
  }
  finding.seen = printable(finding.seen);
  findings.push_back(std::move(finding));
}

void add_home(const HereSeen& seen, Findings& findings) {
  if (seen.account_home.empty() || seen.home == seen.account_home) return;
  findings.push_back(
      {.verdict = Verdict::Note,
       .subject = "home",
       .seen = printable(concat("HOME is ", seen.home.empty() ? "not set" : seen.home,
                                ", but this account's home is ", seen.account_home,
                                ": Yonder reads its settings and the ssh aliases from the former, "
                                "ssh its settings and keys from the latter")),
       .fix = "set HOME to the account's home, unless that is what you want"});
}

std::string address(const SandboxSpec& spec) {
  if (spec.backend == Backend::Local) return "on this machine";
  std::string text = concat("ssh ", spec.user.empty() ? "" : concat(spec.user, "@"), spec.host);
  if (spec.port != 0) text += concat(", port ", spec.port);
  if (!spec.cwd.empty()) text += concat(", starts in ", spec.cwd);
  return text;
}

void add_settings(const SandboxSeen& seen, Findings& findings) {
  findings.push_back({.subject = "settings",
                      .seen = concat(address(seen.spec), " (from ", seen.spec.origin, ")",
                                     seen.is_active ? ", active" : "")});
}

void add_key_file(const SandboxSeen& seen, Findings& findings) {
  if (!seen.key_file) return;
  constexpr unsigned kOthers = 077;
  const std::string& path = seen.spec.key_file;
  Finding finding{.verdict = Verdict::Problem, .subject = "key file", .seen = path};
  if (!seen.key_file->exists) {
    finding.seen += " is not there";
    finding.fix = concat("correct key_file (", seen.spec.origin, "), or create the key");
  } else if (!seen.key_file->regular) {
    finding.seen += " is not a file";
    finding.fix = concat("correct key_file (", seen.spec.origin, ")");
  } else if ((seen.key_file->mode & kOthers) != 0) {
    finding.seen += " may be read by others, so ssh does not use it";
    finding.fix = ShellText("chmod 600").arg(path).str();
  } else {
    finding.verdict = Verdict::Ok;
  }
  findings.push_back(std::move(finding));
}

void add_ssh_settings(const SandboxSeen& seen, Findings& findings) {
  if (seen.ssh_error) {
    findings.push_back({.verdict = Verdict::Problem,
                        .subject = "ssh settings",
                        .seen = seen.ssh_error->message,
                        .fix = "correct ~/.ssh/config until this works: " +
                               ShellText("ssh -G --").arg(seen.spec.host).str()});
    return;
  }
  if (!seen.ssh) return;
  const SshSettings& ssh = *seen.ssh;
  std::string text = concat(ssh.user, "@", ssh.hostname, " port ", ssh.port);
  if (!ssh.proxy.empty()) text += concat(", by way of ", ssh.proxy);
  if (!ssh.control_path.empty()) text += concat(", shared connection at ", ssh.control_path);
  if (seen.login_kept) text += ", logged in";
  findings.push_back({.subject = "ssh settings", .seen = printable(text)});
}

std::string connect_fix(const SandboxSeen& seen) {
  const std::string& hint = seen.connect_error->hint;
  // This is the closer look.
  if (!hint.empty() && hint.find("yonder doctor") == std::string::npos) return hint;
  if (seen.spec.backend == Backend::Local) return "look at what sh says here";
  return "try it by hand: " + ShellText("ssh -v --").arg(seen.spec.host).str();
}

}  // namespace

std::vector<Finding> findings_here(const HereSeen& seen) {
  Findings findings;
  if (seen.config_error) {
    findings.push_back({Verdict::Problem, "settings", seen.config_error->message,
                        seen.config_error->hint.empty() ? concat("correct ", seen.config_file)
                                                        : seen.config_error->hint});
  }
  for (const auto& source : seen.sources) {
    findings.push_back({.subject = "settings", .seen = concat(source.source, ": ", source.found)});
  }
  for (const auto& warning : seen.warnings) {
    findings.push_back({.verdict = Verdict::Note, .subject = "settings", .seen = warning});
  }
  add_home(seen, findings);
  findings.push_back(ssh_client_finding(seen));
  add_agent(seen, findings);
  return findings;
}

std::vector<Finding> findings_of(const SandboxSeen& seen) {
  Findings findings;
  add_settings(seen, findings);
  add_key_file(seen, findings);
  add_ssh_settings(seen, findings);
  if (seen.connect_error) {
    findings.push_back({.verdict = Verdict::Problem,
                        .subject = "connect",
                        .seen = seen.connect_error->message,
                        .fix = connect_fix(seen)});
  }
  if (seen.reached) {
    for (auto& finding : findings_there(*seen.reached)) findings.push_back(std::move(finding));
  }
  return findings;
}

SshSettings parse_ssh_settings(std::string_view text) {
  SshSettings settings;
  const auto said = [](const std::string& value) {
    return value == "none" ? std::string() : value;
  };
  for (const auto& line : split(text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space);
    const std::string value(trim(std::string_view(line).substr(space + 1)));
    if (key == "hostname") settings.hostname = value;
    if (key == "user") settings.user = value;
    if (key == "port") settings.port = value;
    if (key == "proxyjump" || key == "proxycommand") settings.proxy = said(value);
    if (key == "controlpath") settings.control_path = said(value);
  }
  return settings;
}

}  // namespace yonder::ops
