#include "outpost/doubtful.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/file.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kCgroupTextLimit = 65536;

std::string cgroup_of(pid_t pid) {
  auto text = read_file(concat("/proc/", pid, "/cgroup"), kCgroupTextLimit);
  return text ? *std::move(text) : "";
}

bool is_closed(pid_t pid) {
  return ::access(concat("/proc/", pid, "/environ").c_str(), R_OK) != 0 && errno == EACCES;
}

}  // namespace

bool could_be_left_of(const wire::ProcessKey& command, const Process& process,
                      const std::vector<Process>& processes) {
  if (process.gone() || process.parent != 1 || process.start_time < command.start_time) {
    return false;
  }
  return std::none_of(processes.begin(), processes.end(), [&](const Process& other) {
    return other.pid == process.session && other.start_time < command.start_time;
  });
}

std::optional<pid_t> find_doubtful(const wire::ProcessKey& command) {
  if (command.pid <= 0) return std::nullopt;
  const std::string own = cgroup_of(::getpid());
  // A user's processes stay in that user's slice, whatever they become.
  const std::string slice = concat("/user-", ::getuid(), ".slice");
  const bool in_slice = own.find(slice) != std::string::npos;
  const auto processes = all_processes();
  for (const auto& process : processes) {
    if (!could_be_left_of(command, process, processes) || !is_closed(process.pid)) continue;
    const std::string cgroup = cgroup_of(process.pid);
    if (in_slice ? cgroup.find(slice) != std::string::npos : cgroup == own) return process.pid;
  }
  return std::nullopt;
}

}  // namespace yonder::outpost
