#include "model/run.h"

#include <array>
#include <csignal>
#include <utility>

#include "base/text.h"

namespace yonder {

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::Queued: return "queued";
    case RunState::Running: return "running";
    case RunState::Exited: return "exited";
    case RunState::Signaled: return "signaled";
    case RunState::TimedOut: return "timed_out";
    case RunState::Stopped: return "stopped";
    case RunState::Refused: return "refused";
    case RunState::Lost: return "lost";
    case RunState::Unknown: return "unknown";
  }
  return "unknown";
}

std::vector<std::string> warnings_of(const RunStatus& status) {
  std::vector<std::string> warnings;
  if (status.disk_full) {
    warnings.emplace_back(
        has_ended(status.state)
            ? "the disk that holds the output was full while the command ran or when it ended: "
              "output may be missing"
            : "the disk that holds the output is full: output may be missing");
  }
  if (!status.moved.empty()) warnings.push_back(status.moved);
  return warnings;
}

std::string signal_name(int number) {
  constexpr std::array<std::pair<int, std::string_view>, 20> kNames{
      {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},     {SIGILL, "SIGILL"},
       {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},       {SIGFPE, "SIGFPE"},
       {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"},     {SIGUSR2, "SIGUSR2"},
       {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},     {SIGXCPU, "SIGXCPU"},
       {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},   {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}}};
  for (const auto& [known, name] : kNames) {
    if (known == number) return std::string(name);
  }
  return concat("SIG", number);
}

}  // namespace yonder
