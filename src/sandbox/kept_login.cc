#include "sandbox/kept_login.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <optional>
#include <system_error>

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

std::string hash_digits(const std::string& text, unsigned digits) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a: the same in every process
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::string out;
  for (unsigned i = 0; i < digits; ++i) out += "0123456789abcdef"[(hash >> (4U * i)) & 15U];
  return out;
}

// Two sandboxes may share a name over time; what they say to ssh makes the socket's name, and what
// ssh makes of that.
std::string socket_start(const SandboxSpec& spec) {
  constexpr unsigned kDigits = 6;
  const std::string all =
      join({spec.name, spec.host, spec.user, std::to_string(spec.port), spec.key_file}, "\n");
  return concat("login-", hash_digits(all, kDigits), "-");
}

bool is_socket(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

}  // namespace

KeptLogins::KeptLogins(const Places& places, std::vector<std::string> environment,
                       link::AskpassBroker* broker, bool interactive)
    : directory_(places.directory),
      environment_(std::move(environment)),
      broker_(broker),
      interactive_(interactive),
      ways_(places.home, [this](const SandboxSpec& spec) { return settings_of(spec); }) {}

// Commands on this machine get the environment as it is.
const std::vector<std::string>& KeptLogins::environment_for(const SandboxSpec& spec) const {
  return spec.backend == Backend::Ssh ? environment_.with_agent() : environment_.plain();
}

std::string KeptLogins::socket_path(const SandboxSpec& spec, const std::string& settings) const {
  constexpr unsigned kDigits = 10;
  return concat(directory_, "/", socket_start(spec), hash_digits(target_in(settings), kDigits));
}

std::vector<std::string> KeptLogins::sockets_of(const SandboxSpec& spec) const {
  std::vector<std::string> sockets;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, failed)) {
    const bool is_ours = entry.path().filename().string().starts_with(socket_start(spec));
    if (is_ours && is_socket(entry.path().string())) sockets.push_back(entry.path().string());
  }
  return sockets;
}

std::string KeptLogins::settings_of(const SandboxSpec& spec) const {
  if (spec.backend != Backend::Ssh) return "";
  const auto words =
      prefix_for(spec, {.environment = environment_.plain(), .interactive = interactive_});
  return words ? ask_settings(*words) : "";
}

bool KeptLogins::exists(const SandboxSpec& spec) const {
  return !sockets_of(spec).empty() && is_socket(socket_path(spec, settings_of(spec)));
}

Result<link::CommandPrefix> KeptLogins::prefix(const SandboxSpec& spec) const {
  PrefixOptions options{.environment = environment_for(spec), .interactive = interactive_};
  TRY_ASSIGN(link::CommandPrefix words, prefix_for(spec, options));
  if (spec.backend != Backend::Ssh) return words;
  config::Watched watched = ways_.watch();
  const std::string settings = ask_settings(words);
  ways_.note(spec, std::move(watched), settings);
  const std::string socket = socket_path(spec, settings);
  const bool kept = is_socket(socket);
  if (kept) options.control_path = socket;
  options.overrides = pipe_overrides(settings);
  options.ciphers = kept ? "" : fast_ciphers(settings);
  if (!kept && options.overrides.empty() && options.ciphers.empty()) return words;
  return prefix_for(spec, options);
}

Result<link::CommandPrefix> KeptLogins::terminal(const SandboxSpec& spec,
                                                 const std::string& command) const {
  PrefixOptions options{.environment = environment_for(spec), .interactive = true};
  if (spec.backend == Backend::Ssh) {
    const std::string settings = settings_of(spec);
    const std::string socket = socket_path(spec, settings);
    if (is_socket(socket)) options.control_path = socket;
    options.overrides = pipe_overrides(settings);
  }
  return terminal_for(spec, options, command);
}

Result<void> KeptLogins::run_login(const SandboxSpec& spec, const link::CommandPrefix& words,
                                   const CancelToken& cancel) const {
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
    const std::string trouble = attempt ? attempt->command_trouble() : "";
    if (attempt && attempt->refused() && !trouble.empty()) {
      return link::explain_command_trouble(spec, trouble);
    }
    if (attempt && attempt->refused()) {
      return Error{Errc::AuthNeeded, concat("'", spec.name, "': the question was not answered"),
                   ""};
    }
    if (cancel.cancelled()) return Error{Errc::Cancelled, "the login was cancelled", ""};
    if (status && status->success()) return {};
    if (status) return link::explain_failure(spec, errors, "");
    if (limit.expired()) return Error{Errc::Timeout, "the login took too long", ""};
  }
}

Result<std::string> KeptLogins::open(const SandboxSpec& spec, const CancelToken& cancel) const {
  const std::string socket = socket_path(spec, settings_of(spec));
  TRY_ASSIGN(const link::CommandPrefix words, login_for(spec, {.environment = environment_for(spec),
                                                               .control_path = socket,
                                                               .interactive = interactive_}));
  ::unlink(socket.c_str());  // of a master that has died; a living one was closed before
  if (auto done = run_login(spec, words, cancel); !done) {
    // The half of ssh that has gone to the background already was not ended with the other one.
    end_master(spec, socket);
    return std::move(done).error();
  }
  return socket;
}

void KeptLogins::end_master(const SandboxSpec& spec, const std::string& socket) const {
  if (!is_socket(socket)) return;
  [[maybe_unused]] const bool asked = ask_master(spec, socket, "exit").has_value();
  ::unlink(socket.c_str());
}

Result<Captured> KeptLogins::ask_master(const SandboxSpec& spec, const std::string& socket,
                                        const char* what) const {
  TRY_ASSIGN(const auto words, prefix_for(spec, {.environment = environment_.plain()}));
  return run_captured({.argv = {"ssh", "-O", what, "-S", socket, "--", spec.host},
                       .environment = words.environment},
                      "", kMaxErrors, Deadline::after(kCloseLimit));
}

bool KeptLogins::stands(const SandboxSpec& spec) const {
  const std::string socket = socket_path(spec, settings_of(spec));
  if (!is_socket(socket)) return false;
  const auto asked = ask_master(spec, socket, "check");
  return asked && asked->status.success();
}

Result<void> KeptLogins::close(const SandboxSpec& spec) const {
  const auto sockets = sockets_of(spec);
  if (sockets.empty()) {
    return Error{Errc::NotFound, concat("no login is kept for '", spec.name, "'"), ""};
  }
  std::optional<Error> failed;
  for (const auto& socket : sockets) {
    auto asked = ask_master(spec, socket, "exit");
    ::unlink(socket.c_str());
    if (!asked) failed = std::move(asked).error();
  }
  if (failed) return *failed;
  return {};
}

}  // namespace yonder::sandbox
