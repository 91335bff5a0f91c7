#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file_work.h"
#include "base/resource_facts.h"
#include "base/result.h"
#include "wire/frame.h"

namespace yonder::wire {

// The requests and replies inside the frames. Both ends are built from this one file; an outpost is
// only ever spoken to by the yonder of its own build, so there is nothing to negotiate.

// First frame after the greeting line: what the far side is.
struct Hello {
  std::string build;
  std::string boot_id;
  std::string hostname;
  std::string system;
  std::string home;
  std::string user_id;
  std::string login_shell;
  std::string bash;
  std::string outpost_path;
  std::string state_dir;
  std::string state_problem;    // why there is no state directory; empty when there is one
  std::string state_id;         // of the state directory; empty until a run was started in it
  bool state_volatile = false;  // it goes with the next boot
  std::string machine_id;
  std::int64_t clock_ms = 0;
  std::int64_t pid = 0;
};

// Which bytes of a run's output to send, and how long to wait for its end.
struct Follow {
  std::uint64_t out_from = 0;
  std::uint64_t err_from = 0;
  // With limits, only the first `head` bytes of each channel are sent as they come and the last
  // `tail` bytes at the end: a model needs no more, and a gigabyte costs nothing. Without: all of
  // it.
  std::optional<std::uint64_t> head;
  std::uint64_t tail = 0;
  std::optional<std::int64_t> wait_ms;  // reply then even if it still runs
  bool until_begun = false;             // reply as soon as the command's process exists
};

// How many bytes of Data may come in answer before they have to be confirmed.
constexpr std::uint64_t window_of(const Follow& follow) {
  return follow.head ? kInitialCredit : kStreamCredit;
}

enum class StdinMode : std::uint8_t {
  Closed,  // /dev/null
  Whole,   // StartRequest::input
  Stream,  // Data frames of channel In, then End
};

struct StartRequest {
  std::string run_id;
  std::string key;
  std::string command;
  std::vector<std::string> argv;
  std::string cwd;  // empty: home
  std::map<std::string, std::string> env;
  StdinMode stdin_mode = StdinMode::Closed;
  std::string input;
  std::uint64_t in_from = 0;  // of a streamed input: the first byte that may be sent again
  bool login = false;
  std::optional<std::int64_t> timeout_ms;
  std::int64_t grace_ms = 5000;
  std::int64_t keep_ms = 0;  // how long the record stays after the end

  // Of a background run. Both of its outputs go into one log.
  bool background = false;
  std::string log_file;     // empty: in the record; over there: absolute
  std::string session;      // a name for people; no two live runs have the same
  bool tmux = false;        // show the log in a tmux session of that name, where there is tmux
  std::string launcher;     // one of kLaunchers; empty: the best there is; over there: what it was
  std::string description;  // for people
  std::uint64_t log_from = 0;   // over there: how long the log was before
  std::int64_t created_ms = 0;  // over there

  // GPUs that the run is to have for itself.
  std::uint64_t gpus = 0;
  std::uint64_t gpu_memory_mb = 0;           // of each of them; 0: any
  bool gpu_queue = false;                    // wait until they are free; otherwise it is refused
  std::optional<std::int64_t> gpu_queue_ms;  // no longer than that

  Follow follow;
};

// What keeps a background run alive when everybody has logged out.
inline constexpr std::array<std::string_view, 2> kLaunchers{
    "scope",    // a scope of the user's systemd, which lingers
    "session",  // a session of its own, forked twice
};

// Attach to a run that exists.
struct FollowRequest {
  std::string run_id;
  bool owner = false;         // the caller has started it, and goes on after a lost link
  bool stream_stdin = false;  // we go on sending its input
  std::uint64_t in_from = 0;
  Follow follow;
};

struct StopRequest {
  std::string run_id;
  std::string key;      // the run that this key led to, if there is one, instead of run_id
  std::string session;  // or the newest run of that session name
  int signal = 15;      // what is sent first; KILL follows after the grace
  std::int64_t grace_ms = 5000;
  // The run may not have arrived yet: leave a record that keeps it from ever beginning.
  bool prevent = false;
};

struct ProbeRequest {};

// What the machine has, and how much of it is free.
struct ResourcesRequest {
  std::string cwd;  // where work would be done; empty: home
};

// Part of a log, and what is known of the run that writes it. One of the three names it.
struct ReadLogRequest {
  std::string run_id;
  std::string session;                // of a run, or of any tmux session
  std::string path;                   // any file; ~ is fine
  std::optional<std::uint64_t> from;  // a byte; nothing: so that the last `lines` are sent
  std::uint64_t lines = 50;
  std::string filter;      // RE2: only the lines that it is found in
  std::uint64_t head = 0;  // no more than the first and the last bytes of that
  std::uint64_t tail = 20000;
  // Reply then, or as soon as the run has ended or there is something to be sent.
  std::optional<std::int64_t> wait_ms;
};

struct ListRequest {
  std::uint64_t limit = 500;  // the newest ones
  bool unfinished_only = false;
  bool background_only = true;
};

// Forgets a run that has ended, with its log, unless that lies elsewhere.
struct RemoveRequest {
  std::string run_id;
};

// Opens a stream between the two ends of a sync; what they say to each other is in tree/messages.h.
struct TreeRequest {};

using AnyRequest =
    std::variant<StartRequest, FollowRequest, StopRequest, ProbeRequest, ReadLogRequest,
                 ListRequest, RemoveRequest, TreeRequest, files::ListRequest, files::ReadRequest,
                 files::WriteRequest, files::EditRequest, files::SearchRequest, files::MoveRequest,
                 files::DeleteRequest, files::MakeDirectoryRequest, files::TrashRequest,
                 files::RestoreRequest, ResourcesRequest, files::EmptyTrashRequest>;

// A process, by what makes it the same process: pids come back, start times do not.
struct ProcessKey {
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot, field 22 of /proc/PID/stat
};

// First cause wins: what ended the run, not what the end looked like.
enum class Cause : std::uint8_t {
  Exited,
  Signal,
  Timeout,
  Stop,
  Refused,  // it never began: what it needs was not free, or not there
};

struct LiveProcess {
  std::int64_t pid = 0;
  std::string command;
  std::uint64_t start_time = 0;  // as in ProcessKey; 0: not known
};

// Bytes of an output that are not kept any more: from the first on, and not the second.
struct Gap {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool empty() const { return from >= to; }
};

struct ExitRecord {
  Cause cause = Cause::Exited;
  std::optional<int> code;
  std::optional<int> signal;
  std::int64_t ended_ms = 0;
  std::int64_t duration_ms = 0;
  std::int64_t user_ms = 0;
  std::int64_t system_ms = 0;
  std::int64_t max_rss_kib = 0;
  std::vector<LiveProcess> left_running;  // of its process tree, when the command itself had ended
  std::string reason;                     // why it never began
  // The disk of its output was seen without room while it ran, or at its end.
  bool disk_full = false;
};

// The first answer to a start. A key may have led to a run of another id.
struct StartedNote {
  std::string run_id;
  bool existed = false;
};

// After the last answer about a run that has ended: what was sent has arrived, and was passed on.
struct TakenNote {
  std::string run_id;
  bool owner = false;  // as in FollowRequest
};

struct GivenGpu {
  std::uint64_t index = 0;
  std::string uuid;
  std::string vendor;  // as in resources::Gpu
  std::string device;  // likewise
};

// What one run wants of the GPUs of its machine, or has. In a place that all users share; see
// docs/formats.md.
struct GpuClaim {
  std::string run_id;
  std::uint64_t gpus = 0;
  std::uint64_t gpu_memory_mb = 0;
  std::vector<std::string> suitable;  // those that could serve it; empty: not known yet, any
  std::vector<GivenGpu> held;         // empty: it waits
  std::int64_t since_ms = 0;          // first it waits, then it holds
  std::string boot_id;
  std::string pid_ns;
  ProcessKey command;  // once it holds: should its supervisor be killed
};

struct AliveRecord {
  std::string boot_id;
  std::string host;    // a home may be shared by several machines,
  std::string pid_ns;  // and by containers of one
  ProcessKey supervisor;
  ProcessKey command;
  std::int64_t started_ms = 0;
  std::string launcher;  // one of kLaunchers; empty for a foreground run
  std::string cgroup;    // of its scope, below /sys/fs/cgroup; empty when it has none
  std::vector<GivenGpu> gpus;
};

// A run that waits for its GPUs, as its supervisor saw it last.
struct WaitingRecord {
  std::string boot_id;
  std::string host;
  std::int64_t since_ms = 0;
  std::int64_t seen_ms = 0;
  std::uint64_t gpus = 0;
  std::uint64_t ahead = 0;           // waiting runs that come before it
  std::vector<std::string> holders;  // who has what, a sentence for each GPU
};

// What is left of an output in a packed record.
struct PackedOutput {
  std::uint64_t size = 0;  // of all that was printed
  Gap gone;
  std::string bytes;  // all but those
};

// A foreground run whose end was confirmed, in one file: what its record had.
struct PackedRecord {
  std::string spec;   // the bytes of the file, and so the next three
  std::string alive;  // empty: there was none
  std::string exit;
  std::string asked;  // empty: it has no key
  PackedOutput out;
  PackedOutput err;
};

// What a run was called and meant for, from its spec.
struct RunLabel {
  bool background = false;
  std::string command;  // shortened
  std::string description;
  std::string key;
  std::string cwd;
  std::string session;
  std::string tmux_session;  // as tmux has it; empty when it shows nothing of this run
  std::string log_file;      // absolute
  std::uint64_t log_from = 0;
  std::int64_t created_ms = 0;
};

// A record that is not in its usual place, because that had no room for it.
struct MovedRecord {
  std::string why;
  std::string directory;
  bool in_memory = false;
};

// Everything that was observed of one run, from its files, /proc and the boot id. The near side
// judges; the far side only looks.
struct RunFacts {
  std::string run_id;
  std::string boot_id;   // of the machine, now
  std::string host;      // likewise
  std::string pid_ns;    // whose processes were looked at
  bool existed = false;  // it was there before this request; to a stop: its end was
  bool record_found = false;
  bool supervisor_lives = false;
  bool command_lives = false;
  std::optional<AliveRecord> alive;
  std::optional<ExitRecord> exit;
  std::vector<LiveProcess> members;  // of its process tree, alive now
  std::uint64_t out_bytes = 0;
  std::uint64_t err_bytes = 0;
  Gap out_gone;                          // of out_bytes
  Gap err_gone;                          // of err_bytes
  std::string problem;                   // an unreadable record, in words
  std::optional<RunLabel> label;         // of background runs, and where it was asked for
  std::optional<WaitingRecord> waiting;  // before the command began
  bool disk_full = false;                // as in its end; while it runs: now
  std::optional<MovedRecord> moved;
};

struct LogReply {
  std::optional<RunFacts> run;  // nothing: the log or the session is not of a run of ours
  std::string path;             // absolute; empty when no log is known
  bool exists = false;          // the log
  std::string problem;          // why it cannot be read
  std::uint64_t size = 0;       // of the log, now
  std::uint64_t start = 0;      // where `head` begins (of a filtered log: where the looking began)
  std::uint64_t next = 0;       // where to go on
  std::string head;
  std::string tail;
  std::uint64_t skipped = 0;                   // bytes between the two
  std::uint64_t matches = 0;                   // lines that the filter was found in
  std::optional<std::uint64_t> searched_from;  // by the filter, from here on
  bool search_cut =
      false;  // there is more before that, or behind `next`, than one request may read
  std::int64_t modified_ms = 0;
  std::optional<bool> session_lives;  // a tmux session of that name; nothing: no tmux, or not asked
};

struct ListReply {
  std::vector<RunFacts> runs;  // newest first, with labels
  bool more = false;           // there are older ones
};

struct FoundPlace {
  std::string path;
  bool writable = false;
  bool executable = false;
  std::string problem;
  std::int64_t free_bytes = -1;
  std::int64_t free_files = -1;  // how many more can be made
  std::string disk;              // where its file system is mounted
  bool full = false;             // that has no room for a file of the user
};

struct ProbeReply {
  std::vector<FoundPlace> places;
  std::string tmux;
  std::string systemd_run;
  std::string user_bus;  // the socket of the user's own bus; empty when it cannot be reached
  bool lingering = false;
  std::string launcher;  // of background runs, where nobody asks for another
  std::int64_t clock_ms = 0;
};

std::string encode(const Hello& hello);
std::string encode(const AnyRequest& request);
std::string encode(const RunFacts& facts);
std::string encode(const ProbeReply& reply);
std::string encode(const Error& error);
std::string encode(const StartRequest& spec);
std::string encode(const ExitRecord& record);
std::string encode(const AliveRecord& record);
std::string encode(const StartedNote& note);
std::string encode(const LogReply& reply);
std::string encode(const ListReply& reply);
std::string encode(const WaitingRecord& record);
std::string encode(const GpuClaim& claim);
std::string encode(const PackedRecord& record);
std::string encode(const TakenNote& note);
std::string encode(const resources::MachineFacts& facts);

// Every field is checked: type, range and size. Unknown fields are ignored, missing ones are
// errors.
Result<Hello> decode_hello(std::string_view cbor);
Result<AnyRequest> decode_request(std::string_view cbor);
Result<RunFacts> decode_facts(std::string_view cbor);
Result<ProbeReply> decode_probe(std::string_view cbor);
Result<StartRequest> decode_spec(std::string_view cbor);
Result<ExitRecord> decode_exit(std::string_view cbor);
Result<AliveRecord> decode_alive(std::string_view cbor);
Result<StartedNote> decode_started(std::string_view cbor);
Result<LogReply> decode_log(std::string_view cbor);
Result<ListReply> decode_list(std::string_view cbor);
Result<WaitingRecord> decode_waiting(std::string_view cbor);
Result<GpuClaim> decode_claim(std::string_view cbor);
Result<PackedRecord> decode_packed(std::string_view cbor);
Result<TakenNote> decode_taken(std::string_view cbor);
Result<resources::MachineFacts> decode_resources(std::string_view cbor);
Error decode_error(std::string_view cbor);

}  // namespace yonder::wire
