#include "chaos/proc.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "lab/processes.h"

namespace yonder::chaos {
namespace {

constexpr std::uint64_t kLimit = 65536;
// Counted behind the name, which is the only field that may hold a blank.
constexpr std::size_t kState = 0;
constexpr std::size_t kParent = 1;
constexpr std::size_t kStartTime = 19;

std::string proc_text(pid_t pid, const char* file) {
  auto text = read_file(concat("/proc/", pid, "/", file), kLimit);
  return text ? *std::move(text) : std::string();
}

std::vector<std::string> fields_behind_name(const std::string& stat) {
  const std::size_t end = stat.rfind(')');
  if (end == std::string::npos || end + 2 >= stat.size()) return {};
  auto fields = split(std::string_view(stat).substr(end + 2), ' ');
  if (fields.size() <= kStartTime) fields.clear();
  return fields;
}

bool has_uid(pid_t pid, uid_t uid) {
  return proc_text(pid, "status").find(concat("\nUid:\t", uid, "\t")) != std::string::npos;
}

}  // namespace

std::optional<ProcessId> parse_process_id(const std::string& stat) {
  const auto fields = fields_behind_name(stat);
  if (fields.empty()) return std::nullopt;
  return ProcessId{.pid = std::atoi(stat.c_str()),
                   .start_time = std::strtoull(fields[kStartTime].c_str(), nullptr, 10)};
}

std::optional<ProcessId> identify(pid_t pid) {
  return parse_process_id(proc_text(pid, "stat"));
}

bool exists(const ProcessId& process) {
  const std::string stat = proc_text(process.pid, "stat");
  const auto fields = fields_behind_name(stat);
  if (fields.empty() || fields[kState] == "Z" || fields[kState] == "X") return false;
  return parse_process_id(stat)->start_time == process.start_time;
}

std::optional<pid_t> parent_of(pid_t pid) {
  const auto fields = fields_behind_name(proc_text(pid, "stat"));
  if (fields.empty()) return std::nullopt;
  return std::atoi(fields[kParent].c_str());
}

std::string name_of(pid_t pid) {
  return std::string(trim(proc_text(pid, "comm")));
}

std::string describe(pid_t pid) {
  const auto fields = fields_behind_name(proc_text(pid, "stat"));
  std::string line = proc_text(pid, "cmdline");
  std::replace(line.begin(), line.end(), '\0', ' ');
  return concat(name_of(pid), " (", fields.empty() ? "gone" : fields[kState],
                "): ", line.substr(0, 160));
}

std::vector<pid_t> processes_of(uid_t uid) {
  return processes_of(uid, "");
}

std::vector<pid_t> processes_of(uid_t uid, const std::string& name_begins_with) {
  std::vector<pid_t> found;
  for (const auto& process : lab::living_processes()) {
    if (process.name.starts_with(name_begins_with) && has_uid(process.pid, uid)) {
      found.push_back(process.pid);
    }
  }
  return found;
}

}  // namespace yonder::chaos
