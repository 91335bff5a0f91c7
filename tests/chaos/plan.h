#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yonder::chaos {

enum class Kind {
  Lines,
  NoFinalNewline,
  Large,
  Silent,
  Signal,
  IgnoresTerm,
  SetsidChildren,
  UntilStopped,
  SaysGoodbye,
  LeavesAChild,
  TimeLimit,
  StubbornAtLimit,
  CommandKilled,
  Orphan,
  OrphanStopped,
};
inline constexpr int kKinds = 15;

enum class Victim { None, Supervisor, Command };
enum class StopWhen { Never, Ready, CommandGone, Orphaned };

// One background run: what it does, what is done to it, and the only way in which it can end.
struct RunPlan {
  int number = 0;
  Kind kind = Kind::Lines;
  std::size_t machine = 0;
  std::string key;
  std::string session_name;  // empty: Yonder makes one up
  std::string log_file;      // empty: in the run's record
  std::string command;
  double timeout_s = 0;
  double grace_s = 0;
  Victim victim = Victim::None;
  StopWhen stop = StopWhen::Never;

  std::string count_file;  // gets a line, the shell's /proc/PID/stat, each time it is executed
  std::string ready_file;  // appears when it has printed what it prints before it is disturbed
  std::string go_file;     // of orphans: they end when it appears

  std::string state;
  std::optional<int> exit_code;
  std::string signal;
  std::string log;  // every byte, with the last line that Yonder adds
};

// Pure. All kinds are among the first ones. Files are below `directory`.
std::vector<RunPlan> make_plans(std::uint64_t seed, int count, std::size_t machines,
                                const std::string& directory);

}  // namespace yonder::chaos
