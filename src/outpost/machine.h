#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace yonder::outpost {

// The machine and the user that this process runs as. No NSS: a static program must not use it.
struct Surroundings {
  std::string home;
  std::string user_id;
  std::string login_shell;
  std::string boot_id;
  std::string state_dir;      // where run records are kept; empty when there is no place for them
  std::string state_problem;  // every place that was tried, and why not
  std::vector<std::string> overflow{};  // see overflow.h
};

// Reads the environment, so only main() calls it.
Surroundings look_around();

// The places for run records, best first.
std::vector<std::string> state_candidates(const std::string& xdg_state_home,
                                          const std::string& home, const std::string& user_id);

// Makes `path` ours: a directory, not a symlink, owned by us, closed to others. Says why not.
Result<void> claim_directory(const std::string& path);

// Empty where the kernel does not tell.
std::string read_boot_id();
std::string describe_system();
std::string read_hostname();
// Which pids mean the same processes; empty where the kernel does not tell.
std::string read_pid_namespace();

// The first of the usual places that holds an executable of this name, then PATH.
std::string find_program(const std::string& name, const std::string& path);

}  // namespace yonder::outpost
