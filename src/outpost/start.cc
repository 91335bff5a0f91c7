#include "outpost/start.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lock_holder.h"
#include "base/text.h"
#include "outpost/background.h"
#include "outpost/background_log.h"
#include "outpost/key_request.h"
#include "outpost/launcher.h"
#include "outpost/overflow.h"
#include "outpost/packed_record.h"
#include "outpost/record_files.h"
#include "outpost/remove_run.h"
#include "outpost/room.h"
#include "outpost/self.h"
#include "outpost/session.h"
#include "outpost/spare.h"
#include "outpost/supervisor.h"
#include "outpost/viewer.h"

namespace yonder::outpost {
namespace {

constexpr auto kLockPatience = std::chrono::seconds(2);

std::string key_path(const Surroundings& around, const std::string& key) {
  return concat(around.state_dir, "/keys/", hash_of(key));
}

struct NewRecord {
  Fd lock;
  bool of_spare = false;  // who has made the files that every run has
};

bool has_begun(const RunRecord& record) {
  return record.has_ended() || path_exists(record.path("alive"));
}

Result<void> spawn(const RunRecord& record, const wire::StartRequest& spec, const NewRecord& files,
                   std::optional<Spare>& spare) {
  if (spare && Spare::suits(spec) && !record.stop_wanted()) {
    const bool taken = spare->take(record, spec, files.lock);
    spare.reset();
    if (taken) return {};
  }
  if (files.of_spare) spare.reset();  // it would keep the lock
  return spec.background ? launch_background(record, spec, files.lock, look_at_systemd())
                         : spawn_supervisor(record, spec, files.lock);
}

// NoRoom: another place may have some.
Error no_room(Error error) {
  if (error.code != Errc::NoRoom) error.code = Errc::NoPlace;
  error.hint = "nothing was run; make room there, or point XDG_STATE_HOME at another file system";
  return error;
}

// Two things stay when a later step fails, and so they come last: the user's log, into which
// somebody else may write as soon as it is there, and the name, which means an older run until
// then.
Result<void> launch(const Surroundings& around, const RunRecord& record,
                    const wire::StartRequest& spec, const NewRecord& files,
                    std::optional<Spare>& spare) {
  if (auto made = create_files(record, spec, files.of_spare); !made)
    return no_room(std::move(made).error());
  std::optional<UserLog> log;
  if (!spec.log_file.empty()) {
    TRY_ASSIGN(UserLog made, UserLog::create(spec.log_file));
    log.emplace(std::move(made));
  }
  if (auto named = claim_session(around, spec.session, record); !named)
    return no_room(std::move(named).error());
  if (auto spawned = spawn(record, spec, files, spare); !spawned) {
    auto error = no_room(std::move(spawned).error());
    error.code = Errc::NoPlace;
    error.hint = "nothing was run; the machine gives the user no further process: end some there";
    return error;
  }
  if (log) log->keep();
  if (spec.tmux) show_in_tmux(record, spec);
  return {};
}

// A run that never began keeps no key: only whoever asks for that very run again is told.
std::optional<RunRecord> holder_of_key(const Surroundings& around, const std::string& key,
                                       const std::string& run_id) {
  auto found = find_by_key(around, key);
  if (!found || found->id() == run_id) return found;
  const auto exit = found->read_exit();
  const bool refused = exit && *exit && (*exit)->cause == wire::Cause::Refused;
  return refused ? std::nullopt : found;
}

// Makes the key point to this run. When somebody was faster with the same key, theirs is the run.
Result<std::optional<RunRecord>> claim_key(const Surroundings& around, const RunRecord& record,
                                           const std::string& key) {
  if (key.empty()) return std::optional<RunRecord>();
  const std::string target = key_target(around, record);
  if (::symlink(target.c_str(), key_path(around, key).c_str()) == 0) {
    return std::optional<RunRecord>();
  }
  if (errno == ENOSPC || errno == EDQUOT) return errno_error("room for the key of the run");
  auto found = holder_of_key(around, key, record.id());
  if (!found) {
    // It leads to a run that is gone, or never began. The lock on all keys is held.
    ::unlink(key_path(around, key).c_str());
    if (::symlink(target.c_str(), key_path(around, key).c_str()) == 0) {
      return std::optional<RunRecord>();
    }
    if (errno == ENOSPC || errno == EDQUOT) return errno_error("room for the key of the run");
    found = holder_of_key(around, key, record.id());
  }
  if (!found) return Error{Errc::Internal, "cannot keep the key of the run", "try again"};
  if (found->id() == record.id()) return std::optional<RunRecord>();
  return found;
}

// Whoever asks whether a run is locked holds its lock for that moment: a second try tells a look
// from a supervisor.
Result<std::optional<Fd>> try_lock_twice(const RunRecord& record) {
  auto lock = record.try_lock();
  if (!lock || *lock) return lock;
  ::poll(nullptr, 0, 2);
  return record.try_lock();
}

// Nothing when somebody else is starting the run at this moment.
Result<std::optional<Fd>> lock_unbegun(const RunRecord& record) {
  auto lock = try_lock_twice(record);
  if (lock || lock.error().code != Errc::NotFound) return lock;
  auto fresh = create_spec(record);  // its starter died after the mkdir
  if (fresh) return std::optional<Fd>(*std::move(fresh));
  if (fresh.error().code != Errc::Conflict) return std::move(fresh).error();
  return try_lock_twice(record);  // or lives, and has written it meanwhile
}

// It waits for GPUs on another machine that shares this home, where our locks may not reach: who
// gets the lock here proves nothing.
bool waits_elsewhere(const Surroundings& around, const RunRecord& record) {
  const auto waiting = record.read_waiting();
  if (!waiting || !*waiting) return false;
  const std::string& host = (*waiting)->host;
  return (*waiting)->boot_id != around.boot_id && !host.empty() && host != read_hostname();
}

// What came with a key is kept beside the run, so that the next one who uses it can be compared.
Result<void> write_asked(const Surroundings& around, const RunRecord& record,
                         const wire::StartRequest& request) {
  if (request.key.empty()) return {};
  return write_file_atomically(record.path("asked"), parts_of(request, around.home),
                               Durability::Process);
}

// A lock without a process: the run's starter died before the command's first instruction, so the
// run was never begun and can be begun now, by exactly one: whoever gets the lock.
Result<Started> attach(const Surroundings& around, const RunRecord& record,
                       const wire::StartRequest& request, std::optional<Spare>& spare) {
  if (has_begun(record) || waits_elsewhere(around, record)) return Started{record, true};
  TRY_ASSIGN(std::optional<Fd> lock, lock_unbegun(record));
  if (!lock || has_begun(record)) return Started{record, true};
  const NewRecord files{.lock = *std::move(lock)};
  TRY_ASSIGN(const wire::StartRequest spec, settle_request(around, request));
  TRY(check_session_free(around, spec.session, record));
  TRY(write_spec(record, files.lock, spec));
  TRY(write_asked(around, record, request));
  TRY_ASSIGN(const std::optional<RunRecord> other, claim_key(around, record, spec.key));
  if (other) return Started{*other, true};
  TRY(launch(around, record, spec, files, spare));
  return Started{record, true};
}

// Conflict: somebody else is starting the run.
Result<NewRecord> make_record(const RunRecord& record, const wire::StartRequest& spec,
                              std::optional<Spare>& spare) {
  if (spare && Spare::suits(spec) && !spec.background) {
    if (auto lock = spare->give_record(record)) {
      return NewRecord{.lock = *std::move(lock), .of_spare = true};
    }
  }
  TRY(make_directory(record.directory()));
  auto lock = create_spec(record);
  if (lock) return NewRecord{.lock = *std::move(lock)};
  // Somebody with the same run id found our directory empty and went ahead, in it or with one of
  // his own in its place: his are the files.
  const bool taken = lock.error().code == Errc::Conflict || lock.error().code == Errc::NotFound;
  if (taken) return Error{Errc::Conflict, lock.error().message, ""};
  ::rmdir(record.directory().c_str());
  return std::move(lock).error();
}

// In a directory that this call has made. What fails leaves nothing. `spec` is the request as it
// was settled.
Result<Started> begin_new(const Surroundings& around, const RunRecord& record,
                          const wire::StartRequest& request, const wire::StartRequest& spec,
                          const NewRecord& files, std::optional<Spare>& spare) {
  auto written = write_spec(record, files.lock, spec);
  if (written) written = write_asked(around, record, request);
  if (!written) {
    remove_run(record.directory());
    return no_room(std::move(written).error());
  }
  auto other = claim_key(around, record, spec.key);
  if (!other || *other) remove_run(record.directory());
  if (!other) return no_room(std::move(other).error());
  if (*other) {
    TRY(check_same_work(**other, request, around.home));
    return attach(around, **other, request, spare);
  }
  if (auto launched = launch(around, record, spec, files, spare); !launched) {
    remove_run(record.directory());
    return std::move(launched).error();
  }
  return Started{record, false};
}

// In the place that the record names, unless another process is faster.
Result<Started> begin_at(const Surroundings& around, const RunRecord& record,
                         const wire::StartRequest& request, const wire::StartRequest& spec,
                         std::optional<Spare>& spare) {
  auto files = make_record(record, spec, spare);
  if (!files && files.error().code == Errc::Conflict) {
    TRY(unpack_run(record));  // theirs may have ended and been confirmed meanwhile
    return attach(around, record, request, spare);
  }
  if (!files) return no_room(std::move(files).error());
  auto rival = find_rival(around, record);
  if (rival && !*rival) {
    auto started = begin_new(around, record, request, spec, *files, spare);
    if (!started && files->of_spare) spare.reset();  // it holds the lock of what was its record
    return started;
  }
  remove_run(record.directory());
  if (files->of_spare) spare.reset();
  if (!rival) return std::move(rival).error();
  return attach(around, **rival, request, spare);
}

Error no_room_anywhere(Error usual, const std::vector<std::string>& problems) {
  usual.code = Errc::NoPlace;
  for (const auto& problem : problems) usual.message += concat("; ", printable(problem));
  return usual;
}

// The usual place has no room. A foreground run would be begun by plain ssh all the same. `least`:
// what another place must have.
Result<Started> begin_elsewhere(const Surroundings& around, const RunId& id,
                                const wire::StartRequest& request, const wire::StartRequest& spec,
                                Error usual, std::uint64_t least = kLeastRoom) {
  std::vector<std::string> problems;
  for (const auto& place : around.overflow) {
    if (spec.background) break;  // it is to outlive what such places outlive
    if (const auto claimed = claim_overflow(place, least); !claimed) {
      problems.push_back(claimed.error().message);
      continue;
    }
    const RunRecord record(place, id);
    std::optional<Spare> none;
    auto started = begin_at(around, record, request, spec, none);
    if (started && !started->existed) {
      [[maybe_unused]] const bool noted = note_moved(record, usual).has_value();
    }
    if (started || started.error().code != Errc::NoRoom) return started;
    problems.push_back(started.error().message);
  }
  return no_room_anywhere(std::move(usual), problems);
}

// The record may fit into what is left at the usual place, but not what the command prints. NoRoom:
// that place is no worse than the others.
Result<Started> begin_with_more_room(const Surroundings& around, const RunId& id,
                                     const wire::StartRequest& request,
                                     const wire::StartRequest& spec) {
  if (looks_full(around.state_dir)) {
    return begin_elsewhere(around, id, request, spec, errno_error(around.state_dir, ENOSPC));
  }
  Error little{Errc::NoRoom, around.state_dir + ": less than 1 MiB is left on the device", ""};
  auto started = begin_elsewhere(around, id, request, spec, std::move(little), kLittleRoom);
  if (!started && started.error().code == Errc::NoPlace) started.error().code = Errc::NoRoom;
  return started;
}

// Its record was kept by one machine alone, or in its memory. That it cannot be seen is no proof
// that the run never was.
Result<void> check_key_seen(const Surroundings& around, const std::string& key) {
  const auto target = key.empty() ? std::nullopt : read_key_target(key_path(around, key));
  if (!target || target->host.empty() || find_record(around, target->id)) return {};
  return Error{Errc::Conflict,
               concat("key '", printable(key), "' belongs to run ", target->id.str(),
                      ", whose record was kept outside of the usual place on ",
                      printable(target->host), " and cannot be seen here now"),
               "nothing was run; use another key, or none"};
}

Result<void> prevent_at(const Surroundings& around, const RunRecord& record, bool fresh) {
  // Held until the end is written, so that nobody begins the run in between. A record that is there
  // already is left by a starter that died: it would be begun by whoever asks for it next.
  TRY_ASSIGN(const std::optional<Fd> lock, lock_unbegun(record));
  if (!lock || has_begun(record)) return {};
  if (fresh) {
    TRY_ASSIGN(const std::optional<RunRecord> rival, find_rival(around, record));
    if (rival) {
      remove_run(record.directory());
      return {};
    }
  }
  if (!record.read_spec()) {
    TRY(write_spec(record, *lock, wire::StartRequest{.run_id = record.id()}));
  }
  TRY(record.write_exit({.cause = wire::Cause::Stop, .ended_ms = wall_clock_ms()}));
  if (auto spec = record.read_spec()) record.forget_inputs(*std::move(spec));
  return {};
}

Result<void> make_and_prevent(const Surroundings& around, const RunRecord& record) {
  auto made = make_directory(record.directory());
  if (!made && made.error().code != Errc::Conflict) return made;
  auto prevented = prevent_at(around, record, made.has_value());
  if (!prevented && made) remove_run(record.directory());
  return prevented;
}

}  // namespace

std::optional<RunRecord> find_by_key(const Surroundings& around, const std::string& key) {
  if (key.empty()) return std::nullopt;
  const auto target = read_key_target(key_path(around, key));
  if (!target) return std::nullopt;
  const RunRecord usual(around.state_dir, target->id);
  // Should it not come back, the key still has its run, and nothing may be run in its place.
  if (is_packed(usual) && !unpack_run(usual)) return usual;
  // The link of a run that is gone is replaced by whoever needs the key next.
  return find_record(around, target->id);
}

Result<Fd> lock_keys(const std::string& state_dir) {
  TRY_ASSIGN(Fd fd, open_file(state_dir + "/keys", O_RDONLY | O_DIRECTORY));
  // The whole link waits meanwhile, and somebody may hold it who hangs on a dead file system.
  const Deadline deadline = Deadline::after(kLockPatience);
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error("lock " + state_dir + "/keys");
    if (deadline.expired()) {
      return Error{
          Errc::Conflict,
          concat(printable(state_dir), "/keys is locked by ", describe_flock_holder(fd)),
          "nothing was run; every start needs that lock for a moment only: try again, and if it "
          "stays, that process must end"};
    }
    ::poll(nullptr, 0, 2);
  }
  return fd;
}

Result<Started> start_run(const Surroundings& around, const wire::StartRequest& request,
                          std::optional<Spare>& spare) {
  if (around.state_dir.empty()) {
    return Error{Errc::NoPlace, "no place for run records: " + around.state_problem,
                 "make one of these directories writable for the user"};
  }
  TRY_ASSIGN(const RunId id, parse_run_id(request.run_id));
  Fd keys;
  if (!request.key.empty() || !request.session.empty()) {
    TRY_ASSIGN(keys, lock_keys(around.state_dir));
    TRY(check_key_seen(around, request.key));
  }
  if (const auto found = holder_of_key(around, request.key, request.run_id)) {
    TRY(check_same_work(*found, request, around.home));
    return attach(around, *found, request, spare);
  }
  const RunRecord record(around.state_dir, id);
  TRY(unpack_run(record));
  if (const auto found = find_record(around, id)) return attach(around, *found, request, spare);
  TRY_ASSIGN(const wire::StartRequest spec, settle_request(around, request));
  TRY(check_session_free(around, spec.session, record));

  if (!spec.background && looks_full(around.state_dir, kLittleRoom)) {
    auto elsewhere = begin_with_more_room(around, id, request, spec);
    if (elsewhere || elsewhere.error().code != Errc::NoRoom) return elsewhere;
  }
  auto started = begin_at(around, record, request, spec, spare);
  if (started || started.error().code != Errc::NoRoom) return started;
  return begin_elsewhere(around, id, request, spec, std::move(started).error());
}

Result<Started> start_run(const Surroundings& around, const wire::StartRequest& request) {
  std::optional<Spare> none;
  return start_run(around, request, none);
}

Result<void> prevent_run(const Surroundings& around, const RunId& id) {
  if (around.state_dir.empty() || is_packed(RunRecord(around.state_dir, id))) return {};
  const RunRecord record = find_record(around, id).value_or(RunRecord(around.state_dir, id));
  if (has_begun(record)) return {};
  if (waits_elsewhere(around, record)) {
    TRY(open_file(record.path("stop"),
                  O_WRONLY | O_CREAT | O_NONBLOCK));  // its supervisor looks for it
    return {};
  }
  auto prevented = make_and_prevent(around, record);
  for (const auto& place : around.overflow) {
    if (prevented || prevented.error().code != Errc::NoRoom) break;
    if (claim_overflow(place)) prevented = make_and_prevent(around, RunRecord(place, id));
  }
  return prevented;
}

}  // namespace yonder::outpost
