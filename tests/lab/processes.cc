#include "lab/processes.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

constexpr std::uint64_t kProcFileLimit = 4 << 20;

std::string proc_file(pid_t pid, std::string_view name) {
  auto content = read_file(concat("/proc/", pid, "/", name), kProcFileLimit);
  return content ? *std::move(content) : std::string();  // gone meanwhile: an empty file
}

// "12 (a name) S 1 ...": the name may hold anything, so the last parenthesis ends it.
std::optional<Process> parse_stat(pid_t pid, std::string_view stat) {
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  const auto fields = split(stat.substr(close + 2), ' ');
  if (fields.size() < 2 || fields[0] == "Z" || fields[0] == "X") return std::nullopt;
  Process process{.pid = pid, .name = std::string(stat.substr(open + 1, close - open - 1))};
  std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), process.parent);
  return process;
}

template <class Belongs>
std::vector<pid_t> others_where(Belongs&& belongs) {
  std::vector<pid_t> pids;
  for (const auto& process : living_processes()) {
    if (process.pid != ::getpid() && belongs(process.pid)) pids.push_back(process.pid);
  }
  return pids;
}

}  // namespace

std::vector<Process> living_processes() {
  std::vector<Process> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    if (auto process = parse_stat(pid, proc_file(pid, "stat"))) found.push_back(*process);
  }
  return found;
}

bool is_alive(pid_t pid) {
  return parse_stat(pid, proc_file(pid, "stat")).has_value();
}

std::vector<Process> children_of(pid_t parent) {
  auto found = living_processes();
  std::erase_if(found, [&](const Process& process) { return process.parent != parent; });
  return found;
}

std::vector<pid_t> descendants_of(pid_t ancestor) {
  const auto all = living_processes();
  std::vector<pid_t> found;
  std::vector<pid_t> parents{ancestor};
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const auto& process : all) {
      if (process.parent != parents[i]) continue;
      found.push_back(process.pid);
      parents.push_back(process.pid);
    }
  }
  return found;
}

std::vector<pid_t> processes_matching(std::string_view marker) {
  return others_where([&](pid_t pid) {
    return proc_file(pid, "cmdline").find(marker) != std::string::npos ||
           proc_file(pid, "environ").find(marker) != std::string::npos;
  });
}

std::vector<pid_t> processes_in_lab(const std::string& directory) {
  const std::string mark = concat("upperdir=", directory, "/");
  return others_where(
      [&](pid_t pid) { return proc_file(pid, "mountinfo").find(mark) != std::string::npos; });
}

std::vector<pid_t> kill_and_wait(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) ::kill(pid, SIGKILL);
  std::vector<pid_t> left = pids;
  eventually([&] {
    std::erase_if(left, [](pid_t pid) { return !is_alive(pid); });
    return left.empty();
  });
  return left;
}

}  // namespace yonder::lab
