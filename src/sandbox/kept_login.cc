#include "sandbox/kept_login.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "base/clean_text.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "link/connect_error.h"
#include "sandbox/fast_ciphers.h"
#include "sandbox/prefix.h"
#include "sandbox/ssh_settings.h"

namespace yonder::sandbox {
namespace {

// Beyond ssh's own time-outs: for a person who looks for a phone.
constexpr auto kLoginLimit = std::chrono::minutes(6);
constexpr auto kCloseLimit = std::chrono::seconds(10);
constexpr auto kLook = std::chrono::milliseconds(50);
constexpr std::size_t kMaxErrors = 16UL * 1024;

// What is there now. The background half of ssh keeps the pipe open, so there is no end to wait
// for.
void drain(const Fd& fd, std::string& into) {
  std::array<char, 4096> buffer{};
  while (into.size() < kMaxErrors) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n <= 0) return;
    into.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

// Two sandboxes may share a name over time; what they connect to makes the socket's name.
std::string fingerprint(const SandboxSpec& spec) {
  const std::string all =
      join({spec.name, spec.host, spec.user, std::to_string(spec.port), spec.key_file}, "\n");
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a: the same in every process
  for (const char c : all) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += "0123456789abcdef"[(hash >> (4U * static_cast<unsigned>(i))) & 15U];
  return text;
}

}  // namespace

KeptLogins::KeptLogins(std::string directory, std::vector<std::string> environment,
                       link::AskpassBroker* broker, bool interactive)
    : directory_(std::move(directory)),
      environment_(std::move(environment)),
      broker_(broker),
      interactive_(interactive) {}

// Commands on this machine get the environment as it is.
const std::vector<std::string>& KeptLogins::environment_for(const SandboxSpec& spec) const {
  return spec.backend == Backend::Ssh ? environment_.with_agent() : environment_.plain();
}

std::string KeptLogins::socket_path(const SandboxSpec& spec) const {
  return concat(directory_, "/login-", fingerprint(spec));
}

bool KeptLogins::exists(const SandboxSpec& spec) const {
  struct stat info {};
  return ::lstat(socket_path(spec).c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

Result<link::CommandPrefix> KeptLogins::prefix(const SandboxSpec& spec) const {
  const bool kept = exists(spec);
  PrefixOptions options{.environment = environment_for(spec),
                        .control_path = kept ? socket_path(spec) : "",
                        .interactive = interactive_};
  TRY_ASSIGN(link::CommandPrefix words, prefix_for(spec, options));
  if (spec.backend != Backend::Ssh) return words;
  const std::string settings = ask_settings(words);
  options.overrides = pipe_overrides(settings);
  options.ciphers = kept ? "" : fast_ciphers(settings);
  if (options.overrides.empty() && options.ciphers.empty()) return words;
  return prefix_for(spec, options);
}

Result<link::CommandPrefix> KeptLogins::terminal(const SandboxSpec& spec,
                                                 const std::string& command) const {
  PrefixOptions options{.environment = environment_for(spec),
                        .control_path = exists(spec) ? socket_path(spec) : "",
                        .interactive = true};
  TRY_ASSIGN(link::CommandPrefix words, terminal_for(spec, options, command));
  if (spec.backend != Backend::Ssh) return words;
  options.overrides = pipe_overrides(ask_settings(words));
  return options.overrides.empty() ? words : terminal_for(spec, options, command);
}

Result<std::string> KeptLogins::open(const SandboxSpec& spec, const CancelToken& cancel) const {
  TRY_ASSIGN(link::CommandPrefix words, login_for(spec, {.environment = environment_for(spec),
                                                         .control_path = socket_path(spec),
                                                         .interactive = interactive_}));
  ::unlink(socket_path(spec).c_str());  // of a master that has died; a living one was closed before
  std::atomic<pid_t> group{0};
  // Before ssh hears of the refusal: it would go on with empty answers.
  const auto end_ssh = [&group] {
    if (const pid_t pid = group; pid > 0) ::kill(-pid, SIGKILL);
  };
  const auto attempt = broker_ == nullptr ? nullptr : broker_->begin(spec, end_ssh);
  SpawnOptions spawn{.argv = words.argv, .environment = words.environment};
  if (attempt) spawn.environment = link::with_askpass(spawn.environment, attempt->environment());
  TRY_ASSIGN(Subprocess ssh, Subprocess::spawn(spawn));
  group = ssh.pid();
  TRY(set_nonblocking(ssh.errors()));
  std::string errors;
  const auto limit = Deadline::after(kLoginLimit);
  while (true) {
    const auto status = ssh.wait(Deadline::after(kLook));
    drain(ssh.errors(), errors);
    if (attempt && attempt->refused()) {
      return Error{Errc::AuthNeeded, concat("'", spec.name, "': the question was not answered"),
                   ""};
    }
    if (status && status->success()) return socket_path(spec);
    if (status) return link::explain_failure(spec, errors, "");
    if (cancel.cancelled()) return Error{Errc::Cancelled, "the login was cancelled", ""};
    if (limit.expired()) return Error{Errc::Timeout, "the login took too long", ""};
  }
}

Result<Captured> KeptLogins::ask_master(const SandboxSpec& spec, const char* what) const {
  TRY_ASSIGN(const auto words, prefix_for(spec, {.environment = environment_.plain()}));
  return run_captured({.argv = {"ssh", "-O", what, "-S", socket_path(spec), "--", spec.host},
                       .environment = words.environment},
                      "", kMaxErrors, Deadline::after(kCloseLimit));
}

bool KeptLogins::stands(const SandboxSpec& spec) const {
  if (!exists(spec)) return false;
  const auto asked = ask_master(spec, "check");
  return asked && asked->status.success();
}

Result<void> KeptLogins::close(const SandboxSpec& spec) const {
  if (!exists(spec)) {
    return Error{Errc::NotFound, concat("no login is kept for '", spec.name, "'"), ""};
  }
  auto asked = ask_master(spec, "exit");
  ::unlink(socket_path(spec).c_str());
  if (!asked) return std::move(asked).error();
  return {};
}

}  // namespace yonder::sandbox
