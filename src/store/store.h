#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/guarded.h"
#include "base/id.h"
#include "base/result.h"
#include "store/run_note.h"
#include "store/transfer_note.h"

namespace yonder::store {

class Database;

// What this machine remembers between two calls of Yonder: a database that several processes use at
// once. Building a Store costs nothing; the file is opened, created or migrated by the first call,
// and when that fails, by the next one again. Every function may fail without harm to a run: the
// caller says so and goes on.
//
// What was acknowledged survives the death of every process; notes of runs survive a loss of power
// too. Waits at most 5 s for another process that writes. Thread: any.
class Store {
 public:
  // The directory of `path` must exist, and be the user's own.
  explicit Store(std::string path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Inserts, or updates everything but sandbox and created_ms. What is known of the state of a run
  // is only replaced as in saw(). Conflict when the run is known as one of another sandbox: a
  // machine may claim runs of others, and what it says counts for its own.
  Result<void> remember(const RunNote& note);
  // An older sighting never replaces a newer one; and whatever the clocks say, an unfinished state
  // never replaces an end, nor `lost` an end with proof. NotFound when no such run of that sandbox
  // is remembered.
  Result<void> saw(const std::string& sandbox, const RunId& id, const std::string& state,
                   std::optional<int> exit_code, std::int64_t seen_ms);

  // What a look at many machines has shown, in one go: all of it, or when that fails nothing.
  struct Look {
    struct Seen {
      std::string sandbox;
      RunId id;
      std::string state;
      std::optional<int> exit_code;
    };
    std::vector<RunNote> runs;          // as in remember(); those of other sandboxes are left out
    std::vector<RunNote> adopted;       // the same; known of sandboxes that are not there any more
    std::vector<Seen> seen;             // as in saw(); runs that nobody remembers are left out
    std::vector<std::string> answered;  // as in sandbox_answered()
    std::int64_t at_ms = 0;
  };
  Result<void> note(const Look& look);

  Result<std::optional<RunNote>> find(const RunId& id);
  // "r-abc" or "abc". Lists are newest first, here and below.
  Result<std::vector<RunNote>> find_by_prefix(const std::string& prefix, std::size_t limit);
  // An empty sandbox is any sandbox.
  Result<std::vector<RunNote>> find_by_session(const std::string& sandbox,
                                               const std::string& session);
  Result<std::vector<RunNote>> find_by_log(const std::string& sandbox, const std::string& log_file);

  struct Filter {
    std::optional<std::string> sandbox;
    bool unfinished_only = false;
    std::optional<std::string> kind;
    std::size_t limit = 1000;
  };
  Result<std::vector<RunNote>> runs(const Filter& filter);

  // With its cursors. A run that nobody remembers is forgotten already.
  Result<void> forget(const RunId& id);

  // How many bytes of a run's log a reader has read; 0 when none.
  Result<std::uint64_t> cursor(const std::string& reader, const RunId& id);
  // May go back, as when a log was begun anew. NotFound when nobody remembers the run.
  Result<void> move_cursor(const std::string& reader, const RunId& id, std::uint64_t offset);

  // When a sandbox last answered; an earlier time than the known one changes nothing.
  Result<void> sandbox_answered(const std::string& sandbox, std::int64_t at_ms);
  Result<std::optional<std::int64_t>> last_answer(const std::string& sandbox);

  // Transfers. Gives the id, which no other ever has; the id and the worker of `note` do not count.
  Result<std::int64_t> add_transfer(const TransferNote& note);
  Result<std::optional<TransferNote>> find_transfer(std::int64_t id);
  Result<std::vector<TransferNote>> transfers(std::size_t limit);
  // The process that will claim it; false when it has done so already.
  Result<bool> transfer_has_worker(std::int64_t id, const WorkerKey& worker);
  // From queued to running. False: somebody else has it, or it is to be cancelled.
  Result<bool> claim_transfer(std::int64_t id, const WorkerKey& worker, std::int64_t at_ms);
  // False: the worker is to give up.
  Result<bool> transfer_goes_on(std::int64_t id, const std::string& progress, std::int64_t at_ms);
  // The first end counts: false when there was one before.
  Result<bool> end_transfer(std::int64_t id, const TransferEnd& end);
  // False: it has ended.
  Result<bool> request_cancel(std::int64_t id);
  // Begun before that, and all but the newest `keep`, whatever their state.
  Result<std::vector<std::int64_t>> old_transfers(std::int64_t before_ms, std::size_t keep);
  Result<void> forget_transfer(std::int64_t id);

  // Machines that were chosen for work. `decide` gets how often each was chosen within the last
  // `window_ms`, and gives the name of the next, or none; it is noted down. Two who choose at the
  // same moment, in whichever processes, do so one after the other.
  using Decide = std::function<std::string(const std::map<std::string, int>& recent)>;
  struct Choice {
    std::int64_t now_ms = 0;
    std::int64_t window_ms = 0;
    std::string key;  // of the run; empty: none
  };
  Result<void> choose(const Choice& choice, const Decide& decide);
  // Where the run of this key was to begin, the last time a machine was chosen for it. A second
  // start with the key must look there first.
  Result<std::optional<std::string>> place_of_key(const std::string& key);
  // Nothing was started there.
  Result<void> forget_place(const std::string& key);

  // Machines that did not answer, by `target`: everything that says where such a machine is. Gives
  // those that were noted within the last `window_ms`, and when.
  Result<std::map<std::string, std::int64_t>> silent_machines(std::int64_t now_ms,
                                                              std::int64_t window_ms);
  Result<void> note_silent(const std::string& target, std::int64_t now_ms);
  // It has answered. Writes only when it was noted.
  Result<void> forget_silent(const std::string& target);

  // Where a machine keeps the records of its runs, as it said when a run had been started there.
  struct StatePlace {
    std::string sandbox;
    std::string machine;  // its machine id
    std::string user_id;
    std::string place;    // the id of the directory
    std::string path;     // over there
    std::string boot_id;  // only of a directory that does not outlive a boot: which one it is of
  };
  Result<std::optional<StatePlace>> state_place(const std::string& sandbox,
                                                const std::string& machine,
                                                const std::string& user_id);
  Result<void> note_state_place(const StatePlace& place);
  // On all machines that this sandbox was.
  Result<void> forget_state_places(const std::string& sandbox);

 private:
  template <class Use>
  auto with_database(Use&& use, Duration patience = kPatience);
  template <class Change>
  Result<bool> change_transfer(Durability durability, Change&& change,
                               Duration patience = kPatience);

  const std::string path_;
  // How long a database in use may delay a call. Whatever else the same call wants to read or write
  // then gets no time of its own.
  static constexpr Duration kPatience = std::chrono::milliseconds(1700);
  // For what would be told wrongly for good if it were not written.
  static constexpr Duration kLongPatience = std::chrono::seconds(20);
  struct Connection {
    std::unique_ptr<Database> database;
    std::optional<Instant> in_use;  // when it was last found so, after the whole of the patience
  };
  // SQLite allows one call at a time on a connection, so this lock, unlike others, is held during
  // input and output.
  Guarded<Connection> connection_;
};

}  // namespace yonder::store
