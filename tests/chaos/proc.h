#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yonder::chaos {

// A process that cannot be confused with a later one of the same number.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
};

// From a line of /proc/PID/stat.
std::optional<ProcessId> parse_process_id(const std::string& stat);
std::optional<ProcessId> identify(pid_t pid);
// A zombie has ended.
bool exists(const ProcessId& process);
std::optional<pid_t> parent_of(pid_t pid);
std::string name_of(pid_t pid);
// For people: its name, state and command line.
std::string describe(pid_t pid);

// Processes with this real user id that live now.
std::vector<pid_t> processes_of(uid_t uid);
// Of these, those with a name like that.
std::vector<pid_t> processes_of(uid_t uid, const std::string& name_begins_with);

}  // namespace yonder::chaos
