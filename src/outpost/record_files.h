#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Makes `spec`, locked before its first byte is written. Conflict: another process was faster,
// either with the file or, in the moment before we locked it, with its lock.
Result<Fd> create_spec(const RunRecord& record);
// The second half of it. The lock may be free because a faster process has begun the run, and it
// has ended since: what was written, packed or removed is no longer ours.
Result<void> lock_new_spec(const RunRecord& record, const Fd& file);
// Into the file that create_spec() made.
Result<void> write_spec(const RunRecord& record, const Fd& file, wire::StartRequest spec);

// What every foreground run has: its outputs, and the room for its beginning and its end.
Result<void> create_common_files(const RunRecord& record);
// Everything else that the supervisor will need, on disk before it runs. `has_common`: those are
// there already.
Result<void> create_files(const RunRecord& record, const wire::StartRequest& spec, bool has_common);

// A directory with these files, made by a spare while nobody waits: on a slow file system, each of
// them takes its time. It has a name of its own until it becomes a run's record; unused, it is
// removed.
class ReadyRecord {
 public:
  // Where spares of this state directory are; `name` is of the caller's choice.
  static std::string path_of(const std::string& state_dir, const std::string& name);
  // The directory appears there when it is complete. Nothing when that could not be done.
  static std::optional<ReadyRecord> make(const std::string& directory);

  // It has not become a run's.
  bool unused() const;
  const Fd& lock() const { return lock_; }

  ~ReadyRecord();
  ReadyRecord(ReadyRecord&& other) noexcept = default;
  ReadyRecord& operator=(ReadyRecord&&) = delete;

 private:
  ReadyRecord(std::string directory, Fd lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}
  std::string directory_;
  Fd lock_;  // of its spec: whoever holds it is, or will be, the supervisor
};

}  // namespace yonder::outpost
