#include "outpost/lock_holder.h"

#include <sys/stat.h>

#include "base/text.h"
#include "outpost/processes.h"
#include "outpost/remove_run.h"

namespace yonder::outpost {
namespace {

// Whether it has the file open whose lock is the run's.
bool has_open(pid_t pid, const struct stat& file) {
  const std::string descriptors = concat("/proc/", pid, "/fd");
  for (const auto& name : names_in(descriptors)) {
    struct stat info {};
    if (::stat(concat(descriptors, "/", name).c_str(), &info) != 0) continue;
    if (info.st_dev == file.st_dev && info.st_ino == file.st_ino) return true;
  }
  return false;
}

}  // namespace

wire::ProcessKey supervisor_of(const RunRecord& record, const wire::AliveRecord& alive) {
  struct stat spec {};
  if (!record.locked() || ::stat(record.path("spec").c_str(), &spec) != 0) return alive.supervisor;
  if (has_open(static_cast<pid_t>(alive.supervisor.pid), spec) && lives(alive.supervisor)) {
    return alive.supervisor;
  }
  // What it has forked may hold the lock too: the oldest is the supervisor itself.
  std::optional<Process> holder;
  for (const auto& process : all_processes()) {
    const bool older = !holder || process.start_time < holder->start_time ||
                       (process.start_time == holder->start_time && process.pid == holder->parent);
    if (process.gone() || !older || !leads_another_run(process.pid)) continue;
    if (has_open(process.pid, spec)) holder = process;
  }
  if (!holder) return alive.supervisor;
  return {.pid = holder->pid, .start_time = holder->start_time};
}

}  // namespace yonder::outpost
