#include "outpost/processes.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <string_view>

#include "base/clean_text.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/open_output.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kStatLimit = 4096;
// Linux lets arguments and environment grow to megabytes; a mark is found or it is not there.
constexpr std::uint64_t kEnvironLimit = 8UL * 1024 * 1024;
constexpr int kExecLooks = 100;
constexpr int kListRounds = 50;
constexpr std::size_t kShownCommand = 120;
constexpr std::size_t kShownProcesses = 50;

struct CloseDir {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::string proc_path(pid_t pid, std::string_view file) {
  return concat("/proc/", pid, "/", file);
}

bool exists(pid_t pid) {
  return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
}

// In the middle of an exec a process has neither arguments nor an environment. Threads of the
// kernel never have; they have no program either.
bool is_in_exec(pid_t pid) {
  const auto arguments = read_file(proc_path(pid, "cmdline"), kEnvironLimit);
  std::array<char, 1> target{};
  return arguments && arguments->empty() &&
         ::readlink(proc_path(pid, "exe").c_str(), target.data(), target.size()) > 0;
}

// `cmdline` or `environ`; of one in the middle of an exec, what it has afterwards.
Result<std::string> read_after_exec(pid_t pid, const char* file) {
  auto text = read_file(proc_path(pid, file), kEnvironLimit);
  for (int i = 0; i < kExecLooks && text && text->empty() && is_in_exec(pid); ++i) {
    ::poll(nullptr, 0, 1);
    text = read_file(proc_path(pid, file), kEnvironLimit);
  }
  return text;
}

bool carries(pid_t pid, const std::string& mark) {
  const auto environment = read_after_exec(pid, "environ");
  if (!environment) return false;
  const std::string needle = mark + '\0';
  return environment->starts_with(needle) || environment->find('\0' + needle) != std::string::npos;
}

Result<std::vector<pid_t>> all_pids() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, CloseDir> proc(::opendir("/proc"));
  if (!proc) return errno_error("/proc");
  while (const dirent* entry = ::readdir(proc.get())) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid > 0) pids.push_back(pid);
  }
  return pids;
}

std::string id_in(const std::string& mark) {
  return mark.substr(mark.find('=') + 1);
}

bool is_our_program(pid_t pid) {
  std::array<char, 4096> target{};
  const ssize_t n = ::readlink(proc_path(pid, "exe").c_str(), target.data(), target.size());
  const std::string_view program(target.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return program.substr(program.find_last_of('/') + 1).starts_with("outpost");
}

// Whoever writes into its output as an outpost is none of its processes.
bool belongs(const Process& process, const RunMembers& run) {
  if (carries(process.pid, run.mark)) return true;
  return run.by_files && process.start_time >= run.command.start_time &&
         writes_output_of(process.pid, id_in(run.mark)) && !is_our_program(process.pid);
}

struct Sight {
  std::vector<Process> processes;
  std::set<pid_t> marked;
};
// Each process is looked at as soon as it is listed, and the list is read again until it holds no
// new one: otherwise a process that starts its successor and ends is always a step ahead.
Result<Sight> look_for(const RunMembers& run) {
  Sight sight;
  std::set<pid_t> seen;
  bool grew = true;
  for (int round = 0; grew && round < kListRounds; ++round) {
    grew = false;
    TRY_ASSIGN(const std::vector<pid_t> pids, all_pids());
    for (const pid_t pid : pids) {
      if (!seen.insert(pid).second) continue;
      grew = true;
      const auto process = look_at(pid);
      if (!process && exists(pid)) {
        return Error{Errc::Internal, "a process cannot be looked at", ""};
      }
      if (!process) continue;
      sight.processes.push_back(*process);
      if (!process->gone() && belongs(*process, run)) sight.marked.insert(pid);
    }
  }
  return sight;
}

// Only of a cgroup that is the run's own by its name: a record must not lead to others' processes.
std::set<pid_t> processes_in(const RunMembers& run) {
  std::set<pid_t> pids;
  const std::string id = id_in(run.mark);
  if (run.cgroup.empty() || run.cgroup.find("yonder-" + id) == std::string::npos) return pids;
  if (run.cgroup.find("/..") != std::string::npos) return pids;
  const auto list = read_file(concat("/sys/fs/cgroup", run.cgroup, "/cgroup.procs"), kEnvironLimit);
  for (const auto& line : split(list ? *list : "", '\n')) {
    pids.insert(static_cast<pid_t>(std::strtol(line.c_str(), nullptr, 10)));
  }
  return pids;
}

// Everything below those that are in it, except what is left out. Children have no higher pid than
// their parents by rule (pids wrap), so it is repeated until nothing new is found.
void add_descendants(const std::vector<Process>& processes, const std::set<pid_t>& left_out,
                     std::set<pid_t>& family) {
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& process : processes) {
      if (!family.contains(process.parent) || left_out.contains(process.pid)) continue;
      grew = family.insert(process.pid).second || grew;
    }
  }
}

// When the run's oldest process that is known began. Never, where none is.
std::uint64_t begin_of(const RunMembers& run, const std::vector<Process>& processes) {
  for (const auto& process : processes) {
    if (run.supervisor > 0 && process.pid == run.supervisor) return process.start_time;
  }
  return run.command.pid > 0 ? run.command.start_time : ~std::uint64_t{0};
}

// Runs that were started from inside this one, or are none of its business: their supervisors, and
// what is below them. An older supervisor may have taken over what this run's has left.
std::set<pid_t> find_later_runs(const RunMembers& run, const std::vector<Process>& processes) {
  const std::uint64_t begin = begin_of(run, processes);
  std::set<pid_t> others;
  for (const auto& process : processes) {
    // The command has its supervisor's name until it is the command.
    const bool own = process.pid == run.supervisor || process.pid == run.command.pid;
    if (own || process.gone() || process.start_time <= begin) continue;
    if (leads_another_run(process.pid)) others.insert(process.pid);
  }
  add_descendants(processes, {}, others);
  return others;
}

// The session that the command led; 0 when its number may mean another one by now.
pid_t session_of(const RunMembers& run, const std::vector<Process>& processes) {
  const auto leader = static_cast<pid_t>(run.command.pid);
  if (leader <= 0 || run.ended) return 0;
  const bool reused = std::any_of(processes.begin(), processes.end(), [&](const Process& process) {
    return process.pid == leader && process.start_time != run.command.start_time;
  });
  return reused ? 0 : leader;
}

}  // namespace

std::optional<Process> parse_stat(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  const std::size_t name_start = stat.find('(');
  if (name_start == std::string::npos || name_end == std::string::npos ||
      name_end + 2 >= stat.size()) {
    return std::nullopt;
  }
  // After the name: state, ppid, ... and the start time as the 20th of these fields.
  const auto rest = split(std::string_view(stat).substr(name_end + 2), ' ');
  constexpr std::size_t kStartTime = 19;
  if (rest.size() <= kStartTime || rest[0].size() != 1) return std::nullopt;
  const long pid = std::strtol(stat.c_str(), nullptr, 10);
  if (pid <= 0 || pid > std::numeric_limits<pid_t>::max()) return std::nullopt;
  return Process{.pid = static_cast<pid_t>(pid),
                 .parent = static_cast<pid_t>(std::strtol(rest[1].c_str(), nullptr, 10)),
                 .session = static_cast<pid_t>(std::strtol(rest[3].c_str(), nullptr, 10)),
                 .state = rest[0][0],
                 .start_time = std::strtoull(rest[kStartTime].c_str(), nullptr, 10)};
}

std::optional<Process> look_at(pid_t pid) {
  // Emulators such as qemu make up a process's own stat, with another start time than everybody
  // else sees. The one of its first thread they leave alone.
  const bool own = pid == ::getpid();
  const auto stat = read_file(
      own ? proc_path(pid, concat("task/", pid, "/stat")) : proc_path(pid, "stat"), kStatLimit);
  return stat ? parse_stat(*stat) : std::nullopt;
}

bool lives(const wire::ProcessKey& key) {
  const auto pid = static_cast<pid_t>(key.pid);
  const auto process = look_at(pid);
  // Out of descriptors, say: what cannot be looked at is not proven to be gone.
  if (!process) return exists(pid);
  return !process->gone() && process->start_time == key.start_time;
}

bool is_unreaped(const wire::ProcessKey& key) {
  const auto process = look_at(static_cast<pid_t>(key.pid));
  return process && process->start_time == key.start_time;
}

std::optional<wire::ProcessKey> key_of(pid_t pid) {
  const auto process = look_at(pid);
  if (!process) return std::nullopt;
  return wire::ProcessKey{.pid = pid, .start_time = process->start_time};
}

bool send_signal(const wire::ProcessKey& key, int signal, std::optional<int> value) {
  const auto pid = static_cast<pid_t>(key.pid);
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = value.value_or(0);
  // A descriptor stays with its process. It is opened first: if the process that it belongs to is
  // the right one then, it is the one that hears the signal.
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const bool unknown_call = !process && errno != ESRCH;  // kernels before 5.3, and sandboxes
  if (pid <= 0 || !lives(key)) return false;
  if (process) {
    return ::syscall(SYS_pidfd_send_signal, process.get(), signal, value ? &info : nullptr, 0) == 0;
  }
  if (!unknown_call) return false;
  return (value ? ::sigqueue(pid, signal, info.si_value) : ::kill(pid, signal)) == 0;
}

std::vector<Process> all_processes() {
  std::vector<Process> processes;
  const auto pids = all_pids();
  if (!pids) return processes;
  for (const pid_t pid : *pids) {
    if (const auto process = look_at(pid)) processes.push_back(*process);
  }
  return processes;
}

std::vector<pid_t> descendants(const std::vector<Process>& processes, pid_t root) {
  std::set<pid_t> family{root};
  add_descendants(processes, {}, family);
  std::vector<pid_t> found;
  for (const auto& process : processes) {
    if (process.pid != root && family.contains(process.pid) && !process.gone()) {
      found.push_back(process.pid);
    }
  }
  return found;
}

bool leads_another_run(pid_t pid) {
  const auto name = read_file(proc_path(pid, "comm"), kStatLimit);
  if (!name || trim(*name) != kSupervisorName) return false;
  // A script of the user may have that name, but not the program.
  return is_our_program(pid);
}

Result<std::vector<pid_t>> find_members(const RunMembers& run) {
  TRY_ASSIGN(const std::vector<wire::ProcessKey> keys, find_member_keys(run));
  std::vector<pid_t> members;
  members.reserve(keys.size());
  for (const auto& key : keys) members.push_back(static_cast<pid_t>(key.pid));
  return members;
}

Result<std::vector<wire::ProcessKey>> find_member_keys(const RunMembers& run) {
  TRY_ASSIGN(const Sight sight, look_for(run));
  const std::set<pid_t> others = find_later_runs(run, sight.processes);
  const std::set<pid_t> in_cgroup = processes_in(run);
  const pid_t session = session_of(run, sight.processes);
  std::set<pid_t> family;
  if (run.supervisor > 0) family.insert(run.supervisor);
  for (const auto& process : sight.processes) {
    if (process.gone() || others.contains(process.pid)) continue;
    const bool is_command = process.pid == run.command.pid && lives(run.command);
    const bool was_left =
        std::any_of(run.left.begin(), run.left.end(), [&](const wire::ProcessKey& key) {
          return process.pid == key.pid && process.start_time == key.start_time;
        });
    const bool in_session = session > 0 && process.session == session;
    if (is_command || was_left || in_session || in_cgroup.contains(process.pid) ||
        sight.marked.contains(process.pid)) {
      family.insert(process.pid);
    }
  }
  add_descendants(sight.processes, others, family);
  std::vector<wire::ProcessKey> members;
  for (const auto& process : sight.processes) {
    if (process.gone() || process.pid == ::getpid() || process.pid == run.supervisor) continue;
    if (!family.contains(process.pid)) continue;
    members.push_back({.pid = process.pid, .start_time = process.start_time});
  }
  if (run.supervisor != ::getpid()) return members;
  for (const pid_t pid : hidden_children()) members.push_back({.pid = pid, .start_time = 0});
  return members;
}

std::vector<pid_t> hidden_children() {
  std::vector<pid_t> hidden;
  const auto list =
      read_file(proc_path(::getpid(), concat("task/", ::getpid(), "/children")), kEnvironLimit);
  for (const auto& word : split(list ? *list : "", ' ')) {
    const auto pid = static_cast<pid_t>(std::strtol(word.c_str(), nullptr, 10));
    if (pid <= 0 || look_at(pid)) continue;
    siginfo_t info{};
    const bool child =
        ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (child && info.si_pid == 0) hidden.push_back(pid);
  }
  return hidden;
}

std::vector<wire::LiveProcess> describe(const std::vector<pid_t>& pids) {
  std::vector<wire::LiveProcess> shown;
  for (const pid_t pid : pids) {
    if (shown.size() == kShownProcesses) break;
    const auto line = read_after_exec(pid, "cmdline");
    std::string command = line ? *line : exists(pid) ? "(it cannot be looked at)" : "";
    if (!command.empty() && command.back() == '\0') command.pop_back();
    std::replace(command.begin(), command.end(), '\0', ' ');
    if (command.size() > kShownCommand) command = command.substr(0, kShownCommand) + "...";
    const auto process = look_at(pid);
    shown.push_back({.pid = pid,
                     .command = printable(command),
                     .start_time = process ? process->start_time : 0});
  }
  return shown;
}

}  // namespace yonder::outpost
