#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace yonder::lab {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string name;  // as the kernel keeps it: at most 15 bytes
};

// What lives now, by /proc. A zombie counts as gone: its parent may take seconds to reap it.
std::vector<Process> living_processes();
bool is_alive(pid_t pid);
std::vector<Process> children_of(pid_t parent);
// Children, their children and so on, nearest first.
std::vector<pid_t> descendants_of(pid_t ancestor);

// Processes with `marker` in their command line or environment, other than the caller.
std::vector<pid_t> processes_matching(std::string_view marker);

// Processes that live in a mount namespace made by the lab in `directory`, or in one below it.
// Nobody but the lab's own descendants can be there.
std::vector<pid_t> processes_in_lab(const std::string& directory);

// Which of them still live at the end of a patient wait after SIGKILL: none, if all is well.
std::vector<pid_t> kill_and_wait(const std::vector<pid_t>& pids);

}  // namespace yonder::lab
