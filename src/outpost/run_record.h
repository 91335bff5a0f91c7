#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/id.h"
#include "base/result.h"
#include "outpost/processes.h"
#include "wire/messages.h"

namespace yonder::outpost {

// The files of one run, in <state>/runs/<run_id>/. They are the truth about it.
//
//   spec   what to run; its lock is held by whoever starts the run, then by its supervisor
//   waiting   who has the GPUs that it waits for; gone when it has them
//   alive  which processes it is; written before the command's first instruction
//   out err   what the command printed, written by the command itself
//   gone   which of their bytes were given back to the disk
//   log    of a background run: both of them, or a link to the log that the user wants; `out` is a
//          link to it
//   in in.pos in.end   its input, how much of it was taken, and that it is complete
//   stop   somebody wants it not to begin
//   exit   how it ended
//
// One that nobody waits for any more may be a single file instead: see packed_record.h.
class RunRecord {
 public:
  RunRecord(const std::string& state_dir, const RunId& id);
  // For a supervisor, which is told the directory.
  explicit RunRecord(std::string directory);
  // The same run, whose directory is reached by another path for now.
  RunRecord reached_through(std::string directory) const;

  const std::string& directory() const { return directory_; }
  std::string id() const { return id_; }
  std::string path(const char* file) const { return directory_ + "/" + file; }
  std::string mark() const { return run_mark(id()); }

  bool exists() const;
  // Only background runs have a log.
  bool is_background() const;
  Result<wire::StartRequest> read_spec() const;
  Result<std::optional<wire::AliveRecord>> read_alive() const;
  Result<std::optional<wire::ExitRecord>> read_exit() const;
  Result<std::optional<wire::WaitingRecord>> read_waiting() const;
  bool has_ended() const;
  // Somebody has stopped the run before it began: it must not begin any more.
  bool stop_wanted() const;

  // Makes the file that write_alive() will need, with room for it; it does so itself otherwise.
  Result<void> prepare_alive() const;
  Result<void> write_alive(const wire::AliveRecord& alive) const;
  Result<void> write_waiting(const wire::WaitingRecord& waiting) const;
  // Takes the space for the exit record while there is some: a full disk must not lose the end.
  Result<void> reserve_exit() const;
  Result<void> write_exit(const wire::ExitRecord& exit) const;

  // After the end: what went in (stdin, environment) may be secret, and is not needed any more.
  void forget_inputs(wire::StartRequest spec) const;

  // Nothing when somebody else holds it. The lock lasts as long as any copy of the descriptor, so a
  // supervisor that inherits it holds it until it ends, however it ends.
  Result<std::optional<Fd>> try_lock() const;
  bool locked() const;

  std::uint64_t size_of(const char* file) const;

 private:
  RunRecord(std::string directory, std::string id);

  std::string directory_;
  std::string id_;
};

// How much of the streamed input the command has taken; kInputClosed when it wants no more.
inline constexpr std::uint64_t kInputClosed = ~std::uint64_t{0};
std::uint64_t read_input_position(const RunRecord& record);

// Whether the pids of a record mean processes that we can see: same boot, machine and pid
// namespace.
bool is_visible(const wire::AliveRecord& alive, const std::string& boot_id);
// Likewise, or its very supervisor is seen and holds the lock, whatever the boot id.
bool is_here(const RunRecord& record, const wire::AliveRecord& alive, const std::string& boot_id);
// An end is recorded, and is one: a command can write into its own record, but a supervisor records
// no end before it has reaped the command.
bool has_surely_ended(const RunRecord& record, const std::string& boot_id);
bool has_surely_ended(const wire::RunFacts& facts);
// Where the processes of a run are to be looked for.
RunMembers members_of(const RunRecord& record, const wire::RunFacts& facts);

struct ObserveOptions {
  bool members = false;   // a walk over /proc
  bool label = false;     // of foreground runs too; those of background runs are always read
  bool after_end = true;  // false: when there surely is an end, nobody asks who lives on
};
// Looks at everything there is to see of a run.
wire::RunFacts observe(const RunRecord& record, const std::string& boot_id,
                       ObserveOptions options = {});

}  // namespace yonder::outpost
