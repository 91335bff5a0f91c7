#include "outpost/remove_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "outpost/ages.h"
#include "outpost/key_request.h"
#include "outpost/machine.h"
#include "outpost/overflow.h"
#include "outpost/processes.h"
#include "outpost/record_files.h"
#include "outpost/run_record.h"
#include "outpost/start.h"

namespace yonder::outpost {
namespace {

constexpr std::int64_t kHourMs = 3600LL * 1000;
constexpr std::int64_t kUnusedProgramMs = 30LL * 24 * kHourMs;
constexpr std::int64_t kUnfinishedDeployMs = kHourMs;
constexpr std::int64_t kDayMs = 24LL * kHourMs;
constexpr std::int64_t kNeverStartedMs = kDayMs;
constexpr std::int64_t kUnreadableMs = 7 * kDayMs;
constexpr std::int64_t kLostMs = 30 * kDayMs;
// A key is good for so long: until then its run is not started again.
constexpr std::int64_t kKeyedMs = 30 * kDayMs;
constexpr std::uint64_t kEnvironmentLimit = 4ULL * 1024 * 1024;
constexpr std::array<const char*, 2> kLinkFolders{"/keys", "/sessions"};

struct CloseDir {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::int64_t keep_ms(const wire::StartRequest& spec, bool keyed) {
  return std::max(spec.keep_ms, keyed ? kKeyedMs : kHourMs);
}

// What cannot be read stays as long as a key could need it.
bool is_packed_and_over(const Ages& ages, const RunRecord& record) {
  const std::int64_t ended = ages.of(record.directory());
  if (ended <= kHourMs) return false;
  const auto packed = read_packed(record);
  const auto spec = packed ? wire::decode_spec(packed->spec) : packed.error();
  return ended > (spec ? keep_ms(*spec, !spec->key.empty()) : kKeyedMs);
}

bool has_key(const RunRecord& record) {
  if (path_exists(record.path("asked"))) return true;
  const auto spec = record.read_spec();
  return spec && !spec->key.empty();
}

// Whether nobody will want to know about the run any more.
bool is_over(const Ages& ages, const RunRecord& record) {
  const std::int64_t ended = ages.of(record.path("exit"));
  if (ended >= 0) {
    const auto spec = record.read_spec();
    if (!spec) return ended > std::max(kUnreadableMs, has_key(record) ? kKeyedMs : 0);
    return ended > keep_ms(*spec, has_key(record));
  }
  const std::int64_t began = ages.of(record.path("alive"));
  if (began < 0) return ages.of(record.directory()) > kNeverStartedMs;
  // Neither an end nor a lock: lost. What it printed may be all that is left of it.
  return began > kLostMs && ages.of_target(record.path("out")) > kLostMs;
}

// On disk, of the files in the record itself.
std::uint64_t bytes_of(const RunRecord& record) {
  std::uint64_t bytes = 0;
  for (const auto& name : names_in(record.directory())) {
    struct stat info {};
    if (::lstat(record.path(name.c_str()).c_str(), &info) != 0) continue;
    bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return bytes;
}

// The runs of which some process lives: each carries the mark of its run in its environment.
std::set<std::string> find_living_runs() {
  constexpr std::string_view kMark = "YONDER_RUN_ID=";
  std::set<std::string> runs;
  for (const auto& process : all_processes()) {
    const auto environment =
        read_file(concat("/proc/", process.pid, "/environ"), kEnvironmentLimit);
    if (!environment) continue;
    for (const auto& entry : split(*environment, '\0')) {
      if (entry.starts_with(kMark)) runs.insert(entry.substr(kMark.size()));
    }
  }
  return runs;
}

class RunCollector {
 public:
  RunCollector(std::string state_dir, Retention retention, const Ages& ages)
      : state_dir_(std::move(state_dir)), retention_(retention), ages_(ages) {}

  void collect() {
    for (const auto& name : names_in(state_dir_ + "/runs")) {
      const auto id = parse_run_id(name);
      if (!id) continue;
      const RunRecord record(state_dir_, *id);
      if (is_packed(record)) {
        // A directory that has come back meanwhile stays.
        if (is_packed_and_over(ages_, record)) ::unlink(record.directory().c_str());
        continue;
      }
      if (is_over(ages_, record) && remove_unless_used(record)) continue;
      forget_secrets_if_lost(record);
      const std::int64_t ended = ages_.of(record.path("exit"));
      if (ended < 0) continue;
      ended_.push_back({.record = record, .ago_ms = ended, .bytes = bytes_of(record)});
      bytes_ += ended_.back().bytes;
    }
    make_room();
    bound_packed(state_dir_, retention_.packed);
  }

 private:
  struct Ended {
    RunRecord record;
    std::int64_t ago_ms = 0;
    std::uint64_t bytes = 0;
  };

  void make_room() {
    if (bytes_ <= retention_.max_bytes) return;
    std::sort(ended_.begin(), ended_.end(),
              [](const Ended& a, const Ended& b) { return a.ago_ms > b.ago_ms; });
    for (const auto& run : ended_) {
      if (bytes_ <= retention_.max_bytes || run.ago_ms < kDayMs) return;
      if (make_room_of(run.record)) bytes_ -= run.bytes;
    }
  }

  // Of a run with a key what the key needs stays, which is a few small files.
  bool make_room_of(const RunRecord& record) {
    if (!has_key(record)) return remove_unless_used(record);
    return unless_used(record, [&] { return give_up_output(record); });
  }

  bool remove_unless_used(const RunRecord& record) {
    return unless_used(record, [&] {
      remove_run(record.directory());
      return true;
    });
  }

  bool unless_used(const RunRecord& record, const std::function<bool()>& act) {
    // Held meanwhile. Somebody else's lock means a supervisor, which may still look after
    // what the command left behind.
    const auto lock = record.try_lock();
    const bool unlocked = lock ? lock->has_value() : lock.error().code == Errc::NotFound;
    if (!unlocked || !can_be_seen(record)) return false;
    if (!living_) living_ = find_living_runs();
    if (living_->contains(record.id())) return false;
    return act();
  }

  // A supervisor that was killed could not. Nobody begins a run again that has begun.
  static void forget_secrets_if_lost(const RunRecord& record) {
    if (record.has_ended() || !path_exists(record.path("alive"))) return;
    const auto lock = record.try_lock();
    if (!lock || !*lock || !can_be_seen(record)) return;
    if (auto spec = record.read_spec()) record.forget_inputs(*std::move(spec));
  }

  // A home may be shared: a run without an end may live on another machine.
  static bool can_be_seen(const RunRecord& record) {
    if (record.has_ended()) return true;
    const auto alive = record.read_alive();
    return !alive || !*alive || (*alive)->host.empty() || (*alive)->host == read_hostname();
  }

  std::string state_dir_;
  Retention retention_;
  const Ages& ages_;
  std::vector<Ended> ended_;
  std::uint64_t bytes_ = 0;
  std::optional<std::set<std::string>> living_;
};

bool is_link(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

// A key or a name whose run is gone has no use.
void collect_links(const Ages& ages, const std::string& state_dir) {
  const auto lock = lock_keys(state_dir);
  if (!lock) return;
  for (const char* folder : kLinkFolders) {
    for (const auto& name : names_in(state_dir + folder)) {
      const std::string link = concat(state_dir, folder, "/", name);
      if (!is_link(link)) continue;
      const auto target = read_key_target(link);
      if (target && path_exists(state_dir + "/runs/" + target->id.str())) continue;
      // That the record cannot be seen here is no proof that it is gone.
      if (target && !target->host.empty() && ages.of(link) < kKeyedMs) continue;
      ::unlink(link.c_str());
    }
  }
}

// Of spares that were killed. Those that live hold a lock.
void collect_spares(const Ages& ages, const std::string& state_dir) {
  for (const auto& name : names_in(state_dir + "/spares")) {
    const RunRecord record(ReadyRecord::path_of(state_dir, name));
    if (ages.of(record.directory()) < kHourMs || record.locked()) continue;
    if (::unlink(record.directory().c_str()) != 0) remove_run(record.directory());
  }
}

void collect_programs(const Ages& ages, const std::string& program_path) {
  const std::size_t slash = program_path.find_last_of('/');
  if (slash == std::string::npos) return;
  const std::string directory = program_path.substr(0, slash);
  for (const auto& name : names_in(directory)) {
    const std::string path = directory + "/" + name;
    if (path == program_path) continue;
    const bool old_version = name.starts_with("outpost-") && ages.of(path) > kUnusedProgramMs;
    const bool unfinished = name.starts_with(".new-") && ages.of(path) > kUnfinishedDeployMs;
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

std::set<std::string> runs_of_keys(const std::string& state_dir) {
  std::set<std::string> runs;
  for (const auto& name : names_in(state_dir + "/keys")) {
    const auto target = read_key_target(concat(state_dir, "/keys/", name));
    if (target) runs.insert(target->id.str());
  }
  return runs;
}

void remove_links(const std::string& state_dir, const std::string& run_id) {
  for (const char* folder : kLinkFolders) {
    for (const auto& name : names_in(state_dir + folder)) {
      const std::string link = concat(state_dir, folder, "/", name);
      const auto target = read_key_target(link);
      if (target && target->id.str() == run_id) ::unlink(link.c_str());
    }
  }
}

void collect_leftovers(const std::string& state_dir, const std::string& program_path,
                       Retention retention) {
  // The time of last use is the file's own time, so that versions in use never collect each other.
  ::utimensat(AT_FDCWD, program_path.c_str(), nullptr, 0);
  if (state_dir.empty()) return;
  const auto ages = Ages::look(state_dir);
  if (!ages) return;
  RunCollector(state_dir, retention, *ages).collect();
  collect_links(*ages, state_dir);
  collect_spares(*ages, state_dir);
  collect_programs(*ages, program_path);
}

void collect_overflow(const Surroundings& around) {
  for (const auto& place : around.overflow) {
    if (!is_our_own(place)) continue;
    if (const auto ages = Ages::look(place)) RunCollector(place, Retention{}, *ages).collect();
  }
}

}  // namespace yonder::outpost
