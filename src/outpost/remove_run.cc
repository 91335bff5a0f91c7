#include "outpost/remove_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/id.h"
#include "outpost/run_record.h"
#include "outpost/start.h"

namespace yonder::outpost {
namespace {

constexpr std::int64_t kHourMs = 3600LL * 1000;
constexpr std::int64_t kUnusedProgramMs = 30LL * 24 * kHourMs;
constexpr std::int64_t kUnfinishedDeployMs = kHourMs;
constexpr std::int64_t kNeverStartedMs = 24LL * kHourMs;
constexpr std::int64_t kLostMs = 30LL * 24 * kHourMs;

struct CloseDir {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Milliseconds since the last change; negative when it is not there.
std::int64_t age_ms(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return -1;
  return std::max<std::int64_t>(0, wall_clock_ms() - info.st_mtim.tv_sec * 1000);
}

// Whether nobody will want to know about the run any more.
bool is_over(const RunRecord& record) {
  const std::int64_t ended = age_ms(record.path("exit"));
  if (ended >= 0) {
    const auto spec = record.read_spec();
    return !spec || ended > std::max(spec->keep_ms, kHourMs);
  }
  const std::int64_t began = age_ms(record.path("alive"));
  if (began < 0) return age_ms(record.directory()) > kNeverStartedMs;
  // Neither an end nor a lock: lost. What it printed may be all that is left of it.
  return began > kLostMs && age_ms(record.path("out")) > kLostMs;
}

void collect_runs(const std::string& state_dir) {
  for (const auto& name : names_in(state_dir + "/runs")) {
    const auto id = parse_run_id(name);
    if (!id) continue;
    const RunRecord record(state_dir, *id);
    if (!is_over(record)) continue;
    // Held while it is removed. Somebody else's lock means a supervisor, which may still look after
    // what the command left behind.
    const auto lock = record.try_lock();
    const bool unused = lock ? lock->has_value() : lock.error().code == Errc::NotFound;
    if (unused) remove_run(record.directory());
  }
}

// A key whose run is gone has no use.
void collect_keys(const std::string& state_dir) {
  const auto lock = lock_keys(state_dir);
  if (!lock) return;
  for (const auto& name : names_in(state_dir + "/keys")) {
    const std::string key = state_dir + "/keys/" + name;
    std::string target(64, '\0');
    const ssize_t n = ::readlink(key.c_str(), target.data(), target.size());
    if (n <= 0) continue;
    target.resize(static_cast<std::size_t>(n));
    if (!path_exists(state_dir + "/runs/" + target)) ::unlink(key.c_str());
  }
}

void collect_programs(const std::string& program_path) {
  const std::size_t slash = program_path.find_last_of('/');
  if (slash == std::string::npos) return;
  const std::string directory = program_path.substr(0, slash);
  for (const auto& name : names_in(directory)) {
    const std::string path = directory + "/" + name;
    if (path == program_path) continue;
    const bool old_version = name.starts_with("outpost-") && age_ms(path) > kUnusedProgramMs;
    const bool unfinished = name.starts_with(".new-") && age_ms(path) > kUnfinishedDeployMs;
    if (old_version || unfinished) ::unlink(path.c_str());
  }
}

}  // namespace

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseDir> open(::opendir(directory.c_str()));
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

void remove_run(const std::string& directory) {
  for (const auto& name : names_in(directory)) ::unlink((directory + "/" + name).c_str());
  ::rmdir(directory.c_str());
}

void collect_leftovers(const std::string& state_dir, const std::string& program_path) {
  // The time of last use is the file's own time, so that versions in use never collect each other.
  ::utimensat(AT_FDCWD, program_path.c_str(), nullptr, 0);
  if (state_dir.empty()) return;
  const std::string stamp = state_dir + "/collected";
  const std::int64_t last = age_ms(stamp);
  if (last >= 0 && last < kHourMs) return;
  if (!write_file_atomically(stamp, "", Durability::Process)) return;
  collect_runs(state_dir);
  collect_keys(state_dir);
  collect_programs(program_path);
}

}  // namespace yonder::outpost
