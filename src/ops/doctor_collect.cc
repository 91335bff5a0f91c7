#include "ops/doctor_collect.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "base/text.h"
#include "link/link_pool.h"
#include "sandbox/kept_login.h"
#include "wire/messages.h"

namespace yonder::ops {
namespace {

constexpr auto kHelperTime = std::chrono::seconds(5);
constexpr auto kAnswerTime = std::chrono::seconds(10);
constexpr std::size_t kHelperOutput = 256UL * 1024;
constexpr int kPings = 5;

std::string search_path(const std::vector<std::string>& environment) {
  for (const auto& entry : environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

std::string find_program(const std::string& name, const std::vector<std::string>& environment) {
  for (const auto& directory : split(search_path(environment), ':')) {
    std::string path = concat(directory.empty() ? "." : directory, "/", name);
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

KeyFile look_at_key(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return {};
  return {.exists = true, .regular = S_ISREG(about.st_mode), .mode = about.st_mode & 07777U};
}

// ssh's own view of a host: aliases, Match blocks and defaults applied.
Result<SshSettings> ask_ssh(Engine& engine, const SandboxSpec& spec) {
  TRY_ASSIGN(link::CommandPrefix prefix, engine.logins.prefix(spec));
  prefix.argv.pop_back();  // the command for the far side
  prefix.argv.insert(prefix.argv.begin() + 1, "-G");
  TRY_ASSIGN(const Captured answer,
             run_captured({.argv = prefix.argv, .environment = prefix.environment}, "",
                          kHelperOutput, Deadline::after(kHelperTime)));
  if (!answer.status.success()) {
    return Error{Errc::Config, concat("ssh -G failed: ", trim(answer.err)), ""};
  }
  return parse_ssh_settings(answer.out);
}

ProbeReport to_report(const wire::ProbeReply& reply) {
  ProbeReport report{.tmux = reply.tmux,
                     .systemd_run = reply.systemd_run,
                     .user_bus = reply.user_bus,
                     .lingering = reply.lingering,
                     .launcher = reply.launcher,
                     .clock_ms = reply.clock_ms};
  for (const auto& place : reply.places) {
    report.places.push_back({.path = place.path,
                             .writable = place.writable,
                             .executable = place.executable,
                             .problem = place.problem,
                             .free_bytes = place.free_bytes,
                             .free_files = place.free_files,
                             .disk = place.disk,
                             .full = place.full});
  }
  return report;
}

Result<ProbeReport> ask_probe(link::Link& link, const CancelToken& cancel) {
  TRY_ASSIGN(const std::string reply,
             link.ask(wire::ProbeRequest{}, Deadline::after(kAnswerTime), cancel));
  TRY_ASSIGN(const wire::ProbeReply probe, wire::decode_probe(reply));
  return to_report(probe);
}

Reached look_through(link::Link& link, double seconds, const CancelToken& cancel) {
  Reached reached{.seconds = seconds,
                  .machine = link.machine(),
                  .no_runs = link.no_runs(),
                  .deployed = link.deployed(),
                  .noise = link.noise(),
                  .clock_ahead_ms = link.clock_ahead_ms()};
  const auto deadline = Deadline::after(kAnswerTime);
  for (int i = 0; i < kPings; ++i) {
    auto round_trip = link.ping(deadline, cancel);
    if (!round_trip) break;
    reached.round_trips_ms.push_back(to_seconds(*round_trip) * 1000);
  }
  auto probe = ask_probe(link, cancel);
  if (probe) {
    reached.probe = *std::move(probe);
  } else {
    reached.probe_error = std::move(probe).error();
  }
  return reached;
}

}  // namespace

std::string account_home() {
  constexpr std::size_t kRoom = 16384;
  std::vector<char> room(kRoom);
  passwd entry{};
  passwd* found = nullptr;
  const int failed = ::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found);
  return failed == 0 && found != nullptr && found->pw_dir != nullptr ? found->pw_dir : "";
}

SshClient look_for_ssh(const std::vector<std::string>& environment) {
  SshClient client{.path = find_program("ssh", environment)};
  if (client.path.empty()) return client;
  auto answer = run_captured({.argv = {client.path, "-V"}, .environment = environment}, "",
                             kHelperOutput, Deadline::after(kHelperTime));
  if (!answer) {
    client.no_answer = std::move(answer).error();
  } else {
    client.version = trim(answer->err.empty() ? answer->out : answer->err);
  }
  return client;
}

SandboxSeen look_at_sandbox(Engine& engine, const SandboxSpec& spec, const LookOptions& options,
                            const CancelToken& cancel) {
  SandboxSeen seen{.spec = spec, .is_active = options.is_active};
  if (!spec.key_file.empty()) seen.key_file = look_at_key(spec.key_file);
  if (spec.backend == Backend::Ssh && options.has_ssh) {
    seen.login_kept = engine.logins.exists(spec);
    auto settings = ask_ssh(engine, spec);
    if (settings) {
      seen.ssh = *std::move(settings);
    } else {
      seen.ssh_error = std::move(settings).error();
    }
  }
  const auto began = std::chrono::steady_clock::now();
  // The pool bounds the attempt itself, and knows when somebody must be given time to type.
  auto link = engine.links.acquire(spec, {.cancel = cancel});
  if (!link) {
    seen.connect_error = std::move(link).error();
    return seen;
  }
  const double seconds = to_seconds(std::chrono::steady_clock::now() - began);
  seen.reached = look_through(**link, seconds, cancel);
  return seen;
}

}  // namespace yonder::ops
