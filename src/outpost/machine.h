#pragma once

#include <sys/stat.h>
#include <sys/types.h>

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
  // The records are in a directory that is not there now: what to do. Empty: they are where they
  // belong, or there are none.
  std::string state_advice = {};
  std::string state_id = {};               // of state_dir; empty until a run was started in it
  std::string xdg_state_home = {};         // of the environment
  std::string xdg_runtime_dir = {};        // likewise
  std::vector<std::string> overflow = {};  // see overflow.h
  std::vector<std::string> shared = {};    // directories of all users, which remember state_dir
  dev_t runs_device = 0;                   // where `runs` of state_dir was found; 0: not looked at
  ino_t runs_inode = 0;
};

// Reads the environment, so only main() calls it.
Surroundings look_around();

// Chooses state_dir. The one that is remembered, if one is: when that is not there, none.
void find_state(Surroundings& around);
// Chooses it again when the directory has gone, or has not been found before: file systems are
// mounted and unmounted while a link lives. True when it is another one now, or none.
bool find_state_again(Surroundings& around);
// Why nothing can be said of runs, or started: their directory is not there.
Result<void> check_state_is_there(const Surroundings& around);

// The places for run records, best first.
std::vector<std::string> state_candidates(const std::string& xdg_state_home,
                                          const std::string& home, const std::string& user_id);

// A directory, not a symlink, owned by us, without any of these permissions.
bool is_own_directory(const std::string& path, mode_t forbidden);

// Makes `path` ours: a directory, not a symlink, owned by us, closed to others. Says why not.
Result<void> claim_directory(const std::string& path);

// Empty where the kernel does not tell.
std::string read_boot_id();
std::string describe_system();
std::string read_hostname();
// Tells this machine from others; another one after it was installed anew.
std::string read_machine_id();
// Which pids mean the same processes; empty where the kernel does not tell.
std::string read_pid_namespace();

// The first of the usual places that holds an executable of this name, then PATH.
std::string find_program(const std::string& name, const std::string& path);

}  // namespace yonder::outpost
