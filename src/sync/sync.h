#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/result.h"
#include "model/sandbox_spec.h"
#include "sync/base_record.h"
#include "sync/plan.h"

namespace yonder::link {
class LinkPool;
}

namespace yonder::sync {

// Where the rules of SyncSetup::judge come from, as a report says it.
inline constexpr std::string_view kSecretPlace = "secret place";

enum class Direction : std::uint8_t { Push, Pull };

// What to do with a target file that somebody has changed since the last sync.
enum class ConflictChoice : std::uint8_t { Stop, KeepRemote, KeepLocal, Both };

struct SyncOptions {
  bool delete_extras = false;
  std::optional<std::uint64_t> confirm_delete;
  bool delete_ignored = false;  // also what a .gitignore names
  std::vector<std::string> excludes;
  std::string exclude_file;    // local path; empty: none
  bool default_rules = true;   // the built-in ones
  bool use_gitignore = false;  // honour .gitignore files
  bool checksum = false;       // compare contents, not times
  bool hard_links = false;
  bool keep_replaced = true;   // what is replaced or removed goes to the trash
  bool flush_to_disk = false;  // fsync each file
  ConflictChoice on_conflict = ConflictChoice::Stop;
};

struct SyncRequest {
  Direction direction = Direction::Push;
  std::string local_path;
  std::string remote_path;
  SyncOptions options;
  bool dry_run = false;
};

struct FailedEntry {
  std::string path;
  Errc code = Errc::Internal;
  std::string message;      // without its name
  bool over_there = false;  // it went wrong at the far end
};

// Of a file that was changed at both ends: the target's, under another name.
struct ConflictCopy {
  std::string path;
  std::string copy;
};

struct SyncReport {
  std::string local_path;   // absolute
  std::string remote_path;  // absolute, over there
  bool single_file = false;
  bool dry_run = false;
  Plan plan;  // of the last attempt; its actions only of a dry run
  // What was done, over all attempts.
  std::uint64_t files_sent = 0;  // and links
  std::uint64_t directories_made = 0;
  std::uint64_t attributes_set = 0;
  std::uint64_t files_replaced = 0;  // of these: there was another one
  std::uint64_t files_removed = 0;
  std::uint64_t directories_removed = 0;
  std::uint64_t bytes_sent = 0;     // of contents
  std::uint64_t bytes_on_wire = 0;  // as they went over the link
  std::vector<FailedEntry> failed;
  std::vector<ConflictCopy> conflict_copies;
  std::uint64_t attributes_lost =
      0;                        // entries whose access control lists and the like stayed behind
  std::uint64_t overruled = 0;  // changed by somebody in the target, and replaced as was asked for
  std::vector<std::string> trash_batches;
  std::vector<std::string> warnings;
  int reconnects = 0;
  int links = 1;  // at most at once
  Duration duration{};

  // Every entry of the source that was to be copied is there.
  bool complete() const {
    return failed.empty() && plan.counts.conflicts == 0 && plan.counts.unreadable == 0 &&
           plan.counts.in_the_way == 0;
  }
};

enum class Phase : std::uint8_t { Connecting, Looking, Copying, Finishing };
std::string_view name_of(Phase phase);

struct Progress {
  Phase phase = Phase::Connecting;
  std::uint64_t files_done = 0;
  std::uint64_t files_total = 0;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;
  std::string current;  // a path
  int reconnects = 0;
};

struct SoFar;

struct SyncHooks {
  CancelToken cancel;
  // What another process has done of this sync already; the report adds to it. Null: nothing.
  const SoFar* before = nullptr;
  // When an error ends it: what was done until then, for whoever goes on.
  std::function<void(const SoFar&)> on_cut = [](const SoFar&) {};
  // Thread: the caller's of run_sync(). Called some times a second.
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  // Before anything is changed. An error ends the sync with it.
  std::function<Result<void>(const Plan&)> on_plan = [](const Plan&) { return Result<void>(); };
  std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

struct SyncSetup {
  link::LinkPool& links;
  SandboxSpec spec;
  std::string home;       // of the person here
  std::string directory;  // that relative local paths are relative to
  std::string state_dir;  // of this machine: bases and the trash
  // Whether this place here, whose links are resolved, may be synced; and patterns of what below it
  // must neither leave this machine nor be written here, which nothing can undo. Asked in every
  // attempt, of what was opened then.
  std::function<Result<std::vector<std::string>>(const std::string& path)> judge =
      [](const std::string&) {
        return Result<std::vector<std::string>>(std::vector<std::string>());
      };
  // Further directories of Yonder here. What holds one of them is not emptied.
  std::vector<std::string> own_places;
  std::optional<int> most_links;  // for large amounts; otherwise what is worth it
  // How long to go on trying when the link is lost.
  Duration patience = std::chrono::minutes(10);
};

// Brings the target to the state of the source. A lost link is connected again, and what was done
// stays done. Errors are of the sync as a whole; what is wrong with single entries is in the
// report.
Result<SyncReport> run_sync(const SyncSetup& setup, const SyncRequest& request,
                            const SyncHooks& hooks);

}  // namespace yonder::sync
