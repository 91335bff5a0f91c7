#include "base/lock_holder.h"
#include "base/user_name.h"
#include "fuzz/target.h"
#include "outpost/cpu.h"
#include "outpost/gpu_processes.h"
#include "outpost/memory.h"
#include "outpost/numbers.h"
#include "outpost/processes.h"
#include "tree/homes.h"

// Files of the kernel and of the system, with names in them that any user may choose.
namespace yonder::fuzz {
namespace {

void proc(std::string_view bytes) {
  if (const auto process = outpost::parse_stat(std::string(bytes))) {
    require(process->pid > 0, "a process has a number");
  }
  [[maybe_unused]] const auto load = outpost::parse_loadavg(bytes);
  if (const auto count = outpost::count_listed(bytes)) {
    require(*count < 1U << 31U, "no machine has more processors");
  }
  [[maybe_unused]] const auto limit = outpost::parse_cpu_max(bytes);
  [[maybe_unused]] const auto pressure = outpost::parse_pressure(bytes);
  [[maybe_unused]] const auto total = outpost::meminfo_bytes(bytes, "MemTotal");
  [[maybe_unused]] const auto inactive = outpost::stat_value(bytes, "inactive_file");
  const auto memory = outpost::memory_within(bytes, {{.bytes = 1000, .used = 2000}});
  require(!memory.available_bytes || !memory.total_bytes ||
              *memory.available_bytes <= *memory.total_bytes,
          "no more is available than there is");
  require(flock_holder(bytes, 0x801, 1234) >= 0, "a holder is a process, or unknown");
  const std::string command = outpost::command_shown(bytes);
  require_printable(command, "a command can be shown");
  require(command.size() <= 400, "a command is short");
  require_printable(name_in_passwd(bytes, 1000), "a name can be shown");
  for (const auto& home : tree::homes_in(bytes)) {
    require(home.starts_with('/'), "a home is a path");
  }
  [[maybe_unused]] const auto number = outpost::thousandths(bytes);
}

const Registered kProc("proc", proc);

}  // namespace
}  // namespace yonder::fuzz
