#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yonder {

// What the far side said of itself when the link came up.
struct Machine {
  std::string build;  // the outpost's hash
  std::string boot_id;
  std::string hostname;
  std::string system;  // "Linux 6.1.0 x86_64"
  std::string home;
  std::string user_id;  // numeric
  std::string login_shell;
  std::string bash;  // path, empty where there is none
  std::string outpost_path;
  std::string state_dir;  // where run records are kept
  std::string state_problem;
  std::string state_id;         // of that directory; empty until a run was started in it
  bool state_volatile = false;  // it goes with the next boot
  std::string machine_id;
  std::int64_t clock_ms = 0;
  std::int64_t outpost_pid = 0;
};

// One directory that Yonder may use over there, as `doctor` found it.
struct Place {
  std::string path;
  bool writable = false;
  bool executable = false;
  std::string problem;  // empty when usable
  std::int64_t free_bytes = -1;
  std::int64_t free_files = -1;  // how many more can be made
  std::string disk;              // where its file system is mounted
  bool full = false;             // that has no room for a file of the user
};

// What `doctor` asks for beyond the greeting.
struct ProbeReport {
  std::vector<Place> places;
  std::string tmux;         // path, empty where there is none
  std::string systemd_run;  // path, empty where there is none
  std::string user_bus;     // the socket of the user's own systemd, empty where it is not reachable
  bool lingering = false;   // systemd keeps the user's processes after logout
  std::string launcher;     // of background runs: scope or session
  std::int64_t clock_ms = 0;
};

}  // namespace yonder
