#include "outpost/run_record.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/text.h"
#include "outpost/awaited_end.h"
#include "outpost/doubtful.h"
#include "outpost/given_back.h"
#include "outpost/machine.h"
#include "outpost/overflow.h"
#include "outpost/packed_record.h"
#include "outpost/processes.h"
#include "outpost/room.h"
#include "outpost/run_label.h"
#include "wire/frame.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kRecordLimit = 1024UL * 1024;
// An exit record with its list of processes fits; the file is cut to its real size at the end.
constexpr std::size_t kExitReserve = 16384;
constexpr std::size_t kAliveReserve = 4096;

// Bytes that no file system can store in less room than they take. Always the same ones, so that
// they are known again.
std::string incompressible(std::size_t length) {
  std::string bytes;
  bytes.reserve(length);
  std::uint64_t state = 0x9E3779B97F4A7C15U;
  while (bytes.size() < length) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    bytes += static_cast<char>(state >> 32U);
  }
  return bytes;
}

bool is_reserve(std::string_view text) {
  return text.find_first_not_of('\0') == std::string_view::npos ||
         (text.size() <= kExitReserve && text == incompressible(text.size()));
}

template <class T>
Result<std::optional<T>> read_optional(const std::string& path,
                                       Result<T> (*decode)(std::string_view)) {
  auto text = read_file(path, kRecordLimit);
  if (!text && text.error().code == Errc::NotFound) return std::optional<T>();
  if (!text) return std::move(text).error();
  // The power failed before its bytes were on the disk: nothing, or what the reserve held.
  if (is_reserve(*text)) return std::optional<T>();
  auto value = decode(*text);
  if (!value) return std::move(value).error().context(path);
  return std::optional<T>(*std::move(value));
}

void look_at_waiting(const RunRecord& record, wire::RunFacts& facts) {
  if (auto waiting = record.read_waiting()) facts.waiting = *std::move(waiting);
}

// The end is looked for first: what is seen after it is complete then.
void look_at_files(const RunRecord& record, wire::RunFacts& facts) {
  auto exit = record.read_exit();
  auto alive = record.read_alive();
  facts.record_found = record.exists();
  facts.problem.clear();
  if (exit) facts.exit = *exit;
  if (alive) facts.alive = *alive;
  if (alive && !*alive && !facts.exit) look_at_waiting(record, facts);
  if (!exit) {
    facts.problem = exit.error().message;
  } else if (!alive && !facts.exit) {  // an end needs no other proof
    facts.problem = alive.error().message;
  }
}

// Whatever a command writes into its record, it cannot take the lock from its supervisor.
bool is_supervised(const RunRecord& record, const wire::AliveRecord& alive) {
  return lives(alive.supervisor) || record.locked();
}

void look_at_processes(const RunRecord& record, wire::RunFacts& facts, bool after_end) {
  if (facts.exit && end_is_awaited(record.directory())) {
    facts.command_lives = facts.supervisor_lives = true;  // whatever the record says of them
  } else if (facts.alive && is_here(record, *facts.alive, facts.boot_id)) {
    const wire::ProcessKey& command = facts.alive->command;
    facts.command_lives = facts.exit ? is_unreaped(command) : lives(command);
    if (facts.exit && !facts.command_lives && !after_end) return;
    facts.supervisor_lives = is_supervised(record, *facts.alive);
  } else if (facts.record_found && (after_end || !facts.exit)) {
    // Its pids mean nothing here, or are not known yet; the lock is held as long as it lives.
    facts.supervisor_lives = record.locked();
  }
}

}  // namespace

RunRecord::RunRecord(const std::string& state_dir, const RunId& id)
    : RunRecord(concat(state_dir, "/runs/", id.str()), id.str()) {}

RunRecord::RunRecord(std::string directory)
    : directory_(std::move(directory)), id_(directory_.substr(directory_.find_last_of('/') + 1)) {}

RunRecord::RunRecord(std::string directory, std::string id)
    : directory_(std::move(directory)), id_(std::move(id)) {}

RunRecord RunRecord::reached_through(std::string directory) const {
  return {std::move(directory), id_};
}

bool RunRecord::exists() const {
  return path_exists(path("spec"));
}

bool RunRecord::is_background() const {
  return path_exists(path("log"));
}

bool RunRecord::has_ended() const {
  return path_exists(path("exit"));
}

bool RunRecord::stop_wanted() const {
  return path_exists(path("stop"));
}

Result<wire::StartRequest> RunRecord::read_spec() const {
  TRY_ASSIGN(const std::string text, read_file(path("spec"), wire::kMaxMessage));
  auto spec = wire::decode_spec(text);
  if (!spec) return std::move(spec).error().context(path("spec"));
  return spec;
}

Result<std::optional<wire::AliveRecord>> RunRecord::read_alive() const {
  return read_optional<wire::AliveRecord>(path("alive"), wire::decode_alive);
}

Result<std::optional<wire::ExitRecord>> RunRecord::read_exit() const {
  return read_optional<wire::ExitRecord>(path("exit"), wire::decode_exit);
}

Result<std::optional<wire::WaitingRecord>> RunRecord::read_waiting() const {
  return read_optional<wire::WaitingRecord>(path("waiting"), wire::decode_waiting);
}

// Its supervisor writes it, and nobody else.
Result<void> RunRecord::write_waiting(const wire::WaitingRecord& waiting) const {
  return write_file_atomically(path("waiting"), wire::encode(waiting), Durability::Process);
}

Result<void> RunRecord::prepare_alive() const {
  TRY_ASSIGN(const Fd fd, open_file(path("alive.new"), O_WRONLY | O_CREAT));
  const bool refused = ::fallocate(fd.get(), 0, 0, off_t{kAliveReserve}) != 0 &&
                       (errno == ENOSPC || errno == EDQUOT);
  if (refused) return errno_error("room for " + path("alive"));
  return {};
}

// Only the command process writes it, so that its name while it is written can be a fixed one.
Result<void> RunRecord::write_alive(const wire::AliveRecord& alive) const {
  const std::string unfinished = path("alive.new");
  const std::string bytes = wire::encode(alive);
  TRY_ASSIGN(const Fd fd, open_file(unfinished, O_WRONLY | O_CREAT));
  TRY(write_all(fd, bytes));
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes.size())) != 0) return errno_error("ftruncate");
  if (std::rename(unfinished.c_str(), path("alive").c_str()) != 0) return errno_error("rename");
  return {};
}

// Blocks that were asked for are used by the first write into them, also where a file system never
// writes over what it has (btrfs), and whether it compresses or not. Zeros that are written reserve
// nothing there: they are compressed to nothing, and writing over them needs new blocks. ZFS has no
// blocks to give in advance, and says yes all the same; see write_exit().
Result<void> RunRecord::reserve_exit() const {
  constexpr std::uint64_t kZfs = 0x2FC12FC1;
  TRY_ASSIGN(const Fd fd, open_file(path("exit.reserve"), O_WRONLY | O_CREAT | O_TRUNC));
  struct statfs disk {};
  const bool gives_blocks =
      ::fstatfs(fd.get(), &disk) != 0 || static_cast<std::uint64_t>(disk.f_type) != kZfs;
  if (gives_blocks && ::fallocate(fd.get(), 0, 0, off_t{kExitReserve}) == 0) return {};
  if (gives_blocks && (errno == ENOSPC || errno == EDQUOT)) {
    return errno_error("room for " + path("exit"));
  }
  return write_all(fd, incompressible(kExitReserve));
}

Result<void> RunRecord::write_exit(const wire::ExitRecord& exit) const {
  const std::string bytes = wire::encode(exit);
  const std::string reserve = path("exit.reserve");
  TRY_ASSIGN(const Fd fd, open_file(reserve, O_WRONLY | O_CREAT));
  auto written = write_all(fd, bytes);
  if (!written && written.error().code == Errc::NoRoom) {
    // A file system that never writes over what it has takes new blocks first. Those of the reserve
    // are free then, at once or after a moment: whoever writes an end tries again.
    if (::ftruncate(fd.get(), 0) != 0 || ::lseek(fd.get(), 0, SEEK_SET) != 0) {
      return errno_error("ftruncate");
    }
    written = write_all(fd, bytes);
  }
  if (!written) return written;
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes.size())) != 0) return errno_error("ftruncate");
  if (std::rename(reserve.c_str(), path("exit").c_str()) != 0) return errno_error("rename");
  ::sched_yield();  // to whoever was woken by this
  // After it has appeared: whoever waits need not wait for the disk. Should the power fail in this
  // moment, an empty file is left, which counts as none.
  if (::fsync(fd.get()) != 0) return errno_error("fsync");
  return {};
}

void RunRecord::forget_inputs(wire::StartRequest spec) const {
  if (spec.stdin_mode != wire::StdinMode::Closed) {
    for (const char* file : {"in", "in.pos", "in.end"}) ::unlink(path(file).c_str());
  }
  if (spec.env.empty()) return;
  spec.env.clear();
  spec.input.clear();
  // In place: the lock is on this very file. It only gets shorter, and is cut when the new text is
  // there, so that a full disk cannot lose it.
  const std::string text = wire::encode(spec);
  auto file = open_file(path("spec"), O_WRONLY | O_NONBLOCK);
  if (!file || !write_all(*file, text)) return;
  [[maybe_unused]] const int cut = ::ftruncate(file->get(), static_cast<off_t>(text.size()));
}

Result<std::optional<Fd>> RunRecord::try_lock() const {
  TRY_ASSIGN(Fd fd, open_file(path("spec"), O_RDWR | O_NONBLOCK));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return std::optional<Fd>(std::move(fd));
  if (errno == EWOULDBLOCK) return std::optional<Fd>();
  return errno_error("lock " + path("spec"));
}

bool RunRecord::locked() const {
  if (end_is_awaited(directory_)) return true;
  auto fd = open_file(path("spec"), O_RDONLY | O_NONBLOCK);
  // What cannot be looked at is not proven to be free.
  if (!fd) return path_exists(path("spec"));
  return ::flock(fd->get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::uint64_t RunRecord::size_of(const char* file) const {
  struct stat info {};
  if (::stat(path(file).c_str(), &info) != 0) return 0;
  return static_cast<std::uint64_t>(info.st_size);
}

std::uint64_t read_input_position(const RunRecord& record) {
  auto bytes = read_file(record.path("in.pos"), sizeof(std::uint64_t));
  if (!bytes || bytes->size() != sizeof(std::uint64_t)) return 0;
  std::uint64_t position = 0;
  std::memcpy(&position, bytes->data(), sizeof position);
  return position;
}

bool is_visible(const wire::AliveRecord& alive, const std::string& boot_id) {
  // A boot id belongs to one machine, whatever that is called meanwhile.
  const bool same_machine = boot_id.empty() ? alive.host == read_hostname() : true;
  return alive.boot_id == boot_id && same_machine &&
         (alive.pid_ns.empty() || alive.pid_ns == read_pid_namespace());
}

// The boot id may be shown differently through a mount, but not a held lock together with the
// process that should hold it.
bool is_here(const RunRecord& record, const wire::AliveRecord& alive, const std::string& boot_id) {
  if (is_visible(alive, boot_id)) return true;
  return alive.host == read_hostname() && !alive.pid_ns.empty() &&
         alive.pid_ns == read_pid_namespace() && lives(alive.supervisor) && record.locked();
}

bool has_surely_ended(const RunRecord& record, const std::string& boot_id) {
  if (!record.has_ended() || end_is_awaited(record.directory())) return false;
  const auto alive = record.read_alive();
  if (!alive || !*alive || !is_here(record, **alive, boot_id)) return true;
  return !is_unreaped((*alive)->command) || !is_supervised(record, **alive);
}

bool has_surely_ended(const wire::RunFacts& facts) {
  return facts.exit && !(facts.supervisor_lives && facts.command_lives);
}

RunMembers members_of(const RunRecord& record, const wire::RunFacts& facts) {
  RunMembers members{.mark = record.mark()};
  if (!facts.alive || !is_here(record, *facts.alive, facts.boot_id)) return members;
  members.ended = has_surely_ended(facts) && facts.exit->left_running.empty();
  members.cgroup = facts.alive->cgroup;
  if (lives(facts.alive->supervisor)) {
    members.supervisor = static_cast<pid_t>(facts.alive->supervisor.pid);
  }
  members.command = facts.alive->command;
  if (has_surely_ended(facts)) {
    for (const auto& process : facts.exit->left_running) {
      if (process.start_time == 0) continue;
      members.left.push_back({.pid = process.pid, .start_time = process.start_time});
    }
  }
  members.by_files = members.supervisor == 0 && !facts.exit;
  return members;
}

namespace {

// Those that were found, and those that only their supervisor sees: it stays as long as they live.
void show_members(wire::RunFacts& facts, const std::vector<pid_t>& found) {
  facts.members = describe(found);
  if (!has_surely_ended(facts) || !facts.alive || !lives(facts.alive->supervisor)) return;
  for (const auto& process : facts.exit->left_running) {
    if (process.start_time == 0 && lives({.pid = process.pid})) facts.members.push_back(process);
  }
}

// Who lived when the command ended may have gone since. Where that cannot be seen, it stands as it
// was written down.
void look_at_left(const RunRecord& record, wire::RunFacts& facts) {
  facts.members = facts.exit->left_running;
  if (facts.members.empty() || !facts.alive) return;
  const bool booted = facts.alive->host == facts.host && facts.alive->boot_id != facts.boot_id;
  if (booted && !record.locked()) facts.members.clear();
  if (!is_here(record, *facts.alive, facts.boot_id)) return;
  if (const auto members = find_members(members_of(record, facts))) {
    show_members(facts, *members);
  }
}

// The supervisor and the command are gone without an exit record: what the command has started may
// still live.
void look_at_survivors(const RunRecord& record, wire::RunFacts& facts) {
  if (!facts.alive || facts.supervisor_lives || facts.command_lives) return;
  if (!is_here(record, *facts.alive, facts.boot_id)) return;
  if (const auto members = find_members(members_of(record, facts))) {
    show_members(facts, *members);
  }
}

// Without an end nobody has seen that everything of the run has gone. What cannot be looked at, and
// may be of it, is no proof either way.
void look_at_doubtful(const RunRecord& record, wire::RunFacts& facts) {
  if (facts.exit || !facts.alive || facts.supervisor_lives || facts.command_lives) return;
  if (!facts.members.empty() || !is_here(record, *facts.alive, facts.boot_id)) return;
  if (const auto pid = find_doubtful(facts.alive->command)) {
    facts.problem = concat("process ", *pid,
                           " may be left of it: that began later than the run, and may not be "
                           "looked at");
  }
}

}  // namespace

wire::RunFacts observe(const RunRecord& record, const std::string& boot_id,
                       ObserveOptions options) {
  wire::RunFacts facts;
  facts.run_id = record.id();
  facts.boot_id = boot_id;
  facts.host = read_hostname();
  facts.pid_ns = read_pid_namespace();
  look_at_files(record, facts);
  // It was packed in this moment.
  if (!facts.record_found && is_packed(record) && unpack_run(record)) look_at_files(record, facts);
  look_at_processes(record, facts, options.after_end);
  // Whoever ended between the two looks has written how before it went.
  if (!facts.exit && !facts.supervisor_lives && !facts.command_lives) look_at_files(record, facts);
  const bool ended = has_surely_ended(facts);
  facts.out_bytes = record.size_of("out");
  facts.err_bytes = record.size_of("err");
  facts.disk_full =
      ended ? facts.exit->disk_full : facts.alive.has_value() && looks_full(record.path("out"));
  facts.moved = read_moved(record);
  const Gone gone = read_gone(record);
  facts.out_gone = gone.out;
  facts.err_gone = gone.err;
  if (ended) {
    look_at_left(record, facts);
  } else {
    look_at_survivors(record, facts);
  }
  if (options.label || record.is_background()) facts.label = read_label(record);
  if (options.members) {
    const auto members = find_members(members_of(record, facts));
    // What was left in another container is not gone because it is not seen from here.
    const bool seen = !ended || !facts.alive || is_here(record, *facts.alive, boot_id);
    if (members && (seen || !members->empty())) {
      show_members(facts, *members);
      look_at_doubtful(record, facts);
    } else if (!members) {
      facts.problem = "its processes cannot be looked at: " + members.error().message;
    }
  }
  return facts;
}

}  // namespace yonder::outpost
