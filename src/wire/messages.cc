#include "wire/messages.h"

#include <array>

#include "wire/archive.h"
#include "wire/file_fields.h"
#include "wire/resource_fields.h"

namespace yonder::wire {

constexpr StdinMode last_of(StdinMode) {
  return StdinMode::Stream;
}
constexpr Cause last_of(Cause) {
  return Cause::Refused;
}

template <class A>
void fields(A& a, Hello& m) {
  a("build", m.build);
  a("boot_id", m.boot_id);
  a("hostname", m.hostname);
  a("system", m.system);
  a("home", m.home);
  a("user_id", m.user_id);
  a("login_shell", m.login_shell);
  a("bash", m.bash);
  a("outpost_path", m.outpost_path);
  a("state_dir", m.state_dir);
  a("state_problem", m.state_problem);
  a("clock_ms", m.clock_ms);
  a("pid", m.pid);
}

template <class A>
void fields(A& a, Follow& m) {
  a("out_from", m.out_from);
  a("err_from", m.err_from);
  a("head", m.head);
  a("tail", m.tail);
  a("wait_ms", m.wait_ms);
  a("until_begun", m.until_begun);
}

template <class A>
void fields(A& a, StartRequest& m) {
  a("run_id", m.run_id);
  a("key", m.key);
  a("command", m.command);
  a("argv", m.argv);
  a("cwd", m.cwd);
  a("env", m.env);
  a("stdin_mode", m.stdin_mode);
  a("input", m.input);
  a("in_from", m.in_from);
  a("login", m.login);
  a("timeout_ms", m.timeout_ms);
  a("grace_ms", m.grace_ms);
  a("keep_ms", m.keep_ms);
  a("background", m.background);
  a("log_file", m.log_file);
  a("session", m.session);
  a("tmux", m.tmux);
  a("launcher", m.launcher);
  a("description", m.description);
  a("log_from", m.log_from);
  a("created_ms", m.created_ms);
  a("gpus", m.gpus);
  a("gpu_memory_mb", m.gpu_memory_mb);
  a("gpu_queue", m.gpu_queue);
  a("gpu_queue_ms", m.gpu_queue_ms);
  a("follow", m.follow);
}

template <class A>
void fields(A& a, FollowRequest& m) {
  a("run_id", m.run_id);
  a("stream_stdin", m.stream_stdin);
  a("in_from", m.in_from);
  a("follow", m.follow);
}

template <class A>
void fields(A& a, StopRequest& m) {
  a("run_id", m.run_id);
  a("key", m.key);
  a("session", m.session);
  a("signal", m.signal);
  a("grace_ms", m.grace_ms);
  a("prevent", m.prevent);
}

template <class A>
void fields(A& a, ReadLogRequest& m) {
  a("run_id", m.run_id);
  a("session", m.session);
  a("path", m.path);
  a("from", m.from);
  a("lines", m.lines);
  a("filter", m.filter);
  a("head", m.head);
  a("tail", m.tail);
  a("wait_ms", m.wait_ms);
}

template <class A>
void fields(A& a, ListRequest& m) {
  a("limit", m.limit);
  a("unfinished_only", m.unfinished_only);
  a("background_only", m.background_only);
}

template <class A>
void fields(A& a, RemoveRequest& m) {
  a("run_id", m.run_id);
}

template <class A>
void fields(A& /*a*/, ProbeRequest& /*m*/) {}

template <class A>
void fields(A& a, ResourcesRequest& m) {
  a("cwd", m.cwd);
}

template <class A>
void fields(A& /*a*/, TreeRequest& /*m*/) {}

template <class A>
void fields(A& a, ProcessKey& m) {
  a("pid", m.pid);
  a("start_time", m.start_time);
}

template <class A>
void fields(A& a, LiveProcess& m) {
  a("pid", m.pid);
  a("command", m.command);
}

template <class A>
void fields(A& a, ExitRecord& m) {
  a("cause", m.cause);
  a("code", m.code);
  a("signal", m.signal);
  a("ended_ms", m.ended_ms);
  a("duration_ms", m.duration_ms);
  a("user_ms", m.user_ms);
  a("system_ms", m.system_ms);
  a("max_rss_kib", m.max_rss_kib);
  a("left_running", m.left_running);
  a("reason", m.reason);
}

template <class A>
void fields(A& a, StartedNote& m) {
  a("run_id", m.run_id);
  a("existed", m.existed);
}

template <class A>
void fields(A& a, GivenGpu& m) {
  a("index", m.index);
  a("uuid", m.uuid);
  a("vendor", m.vendor);
}

template <class A>
void fields(A& a, GpuClaim& m) {
  a("run_id", m.run_id);
  a("gpus", m.gpus);
  a("gpu_memory_mb", m.gpu_memory_mb);
  a("suitable", m.suitable);
  a("held", m.held);
  a("since_ms", m.since_ms);
  a("boot_id", m.boot_id);
  a("pid_ns", m.pid_ns);
  a("command", m.command);
}

template <class A>
void fields(A& a, WaitingRecord& m) {
  a("boot_id", m.boot_id);
  a("host", m.host);
  a("since_ms", m.since_ms);
  a("seen_ms", m.seen_ms);
  a("gpus", m.gpus);
  a("ahead", m.ahead);
  a("holders", m.holders);
}

template <class A>
void fields(A& a, AliveRecord& m) {
  a("boot_id", m.boot_id);
  a("host", m.host);
  a("pid_ns", m.pid_ns);
  a("supervisor", m.supervisor);
  a("command", m.command);
  a("started_ms", m.started_ms);
  a("launcher", m.launcher);
  a("cgroup", m.cgroup);
  a("gpus", m.gpus);
}

template <class A>
void fields(A& a, RunLabel& m) {
  a("background", m.background);
  a("command", m.command);
  a("description", m.description);
  a("key", m.key);
  a("cwd", m.cwd);
  a("session", m.session);
  a("tmux_session", m.tmux_session);
  a("log_file", m.log_file);
  a("log_from", m.log_from);
  a("created_ms", m.created_ms);
}

template <class A>
void fields(A& a, RunFacts& m) {
  a("run_id", m.run_id);
  a("boot_id", m.boot_id);
  a("host", m.host);
  a("existed", m.existed);
  a("record_found", m.record_found);
  a("supervisor_lives", m.supervisor_lives);
  a("command_lives", m.command_lives);
  a("alive", m.alive);
  a("exit", m.exit);
  a("members", m.members);
  a("out_bytes", m.out_bytes);
  a("err_bytes", m.err_bytes);
  a("problem", m.problem);
  a("label", m.label);
  a("waiting", m.waiting);
}

template <class A>
void fields(A& a, LogReply& m) {
  a("run", m.run);
  a("path", m.path);
  a("exists", m.exists);
  a("problem", m.problem);
  a("size", m.size);
  a("start", m.start);
  a("next", m.next);
  a("head", m.head);
  a("tail", m.tail);
  a("skipped", m.skipped);
  a("matches", m.matches);
  a("modified_ms", m.modified_ms);
  a("session_lives", m.session_lives);
}

template <class A>
void fields(A& a, ListReply& m) {
  a("runs", m.runs);
  a("more", m.more);
}

template <class A>
void fields(A& a, FoundPlace& m) {
  a("path", m.path);
  a("writable", m.writable);
  a("executable", m.executable);
  a("problem", m.problem);
  a("free_bytes", m.free_bytes);
}

template <class A>
void fields(A& a, ProbeReply& m) {
  a("places", m.places);
  a("tmux", m.tmux);
  a("systemd_run", m.systemd_run);
  a("user_bus", m.user_bus);
  a("launcher", m.launcher);
  a("lingering", m.lingering);
  a("clock_ms", m.clock_ms);
}

namespace {

struct WireError {
  std::string code;
  std::string message;
  std::string hint;
};

template <class A>
void fields(A& a, WireError& m) {
  a("code", m.code);
  a("message", m.message);
  a("hint", m.hint);
}

// One name for each alternative of AnyRequest, in their order.
constexpr std::array<const char*, 19> kOperations{
    "start",          "follow",     "stop",          "probe",     "read_log",
    "list",           "remove",     "tree",          "file_list", "file_read",
    "file_write",     "file_edit",  "file_search",   "file_move", "file_delete",
    "make_directory", "trash_list", "trash_restore", "resources"};
static_assert(kOperations.size() == std::variant_size_v<AnyRequest>);

template <std::size_t I = 0>
Result<AnyRequest> decode_operation(std::string_view operation, const CborItem& item) {
  if constexpr (I == std::variant_size_v<AnyRequest>) {
    return Error{Errc::Protocol, "message: unknown operation", ""};
  } else {
    if (operation != kOperations.at(I)) return decode_operation<I + 1>(operation, item);
    using Alternative = std::variant_alternative_t<I, AnyRequest>;
    TRY_ASSIGN(auto request, from_item<Alternative>(item));
    return AnyRequest(std::move(request));
  }
}

}  // namespace

std::string encode(const Hello& hello) {
  return to_cbor(hello);
}
std::string encode(const RunFacts& facts) {
  return to_cbor(facts);
}
std::string encode(const ProbeReply& reply) {
  return to_cbor(reply);
}
std::string encode(const StartRequest& spec) {
  return to_cbor(spec);
}
std::string encode(const ExitRecord& record) {
  return to_cbor(record);
}
std::string encode(const AliveRecord& record) {
  return to_cbor(record);
}
std::string encode(const StartedNote& note) {
  return to_cbor(note);
}
std::string encode(const LogReply& reply) {
  return to_cbor(reply);
}
std::string encode(const ListReply& reply) {
  return to_cbor(reply);
}

std::string encode(const WaitingRecord& record) {
  return to_cbor(record);
}
std::string encode(const GpuClaim& claim) {
  return to_cbor(claim);
}
std::string encode(const resources::MachineFacts& facts) {
  return to_cbor(facts);
}

std::string encode(const AnyRequest& request) {
  Writer writer;
  std::string operation = kOperations.at(request.index());
  writer("op", operation);
  std::visit(
      [&](const auto& message) {
        using Message = std::remove_const_t<std::remove_reference_t<decltype(message)>>;
        fields(writer, const_cast<Message&>(message));
      },
      request);
  return writer.take();
}

std::string encode(const Error& error) {
  return to_cbor(WireError{std::string(name_of(error.code)), error.message, error.hint});
}

Result<Hello> decode_hello(std::string_view cbor) {
  return from_cbor<Hello>(cbor);
}
Result<RunFacts> decode_facts(std::string_view cbor) {
  return from_cbor<RunFacts>(cbor);
}
Result<ProbeReply> decode_probe(std::string_view cbor) {
  return from_cbor<ProbeReply>(cbor);
}
Result<StartRequest> decode_spec(std::string_view cbor) {
  return from_cbor<StartRequest>(cbor, Missing::KeepsItsDefault);
}
// What lies on a disk may have been written by an older build, but this it must say.
template <class T>
static Result<T> from_record(std::string_view cbor, std::initializer_list<const char*> needed) {
  TRY_ASSIGN(const CborItem item, parse_cbor(cbor));
  Reader reader(item);
  for (const char* name : needed) {
    if (reader.find(name) != nullptr) continue;
    return Error{Errc::Protocol, concat("message: field '", name, "' is missing"), ""};
  }
  return from_item<T>(item, Missing::KeepsItsDefault);
}

Result<ExitRecord> decode_exit(std::string_view cbor) {
  return from_record<ExitRecord>(cbor, {"cause"});
}
Result<AliveRecord> decode_alive(std::string_view cbor) {
  return from_record<AliveRecord>(cbor, {"boot_id", "supervisor", "command"});
}
Result<StartedNote> decode_started(std::string_view cbor) {
  return from_cbor<StartedNote>(cbor);
}
Result<LogReply> decode_log(std::string_view cbor) {
  return from_cbor<LogReply>(cbor);
}
Result<ListReply> decode_list(std::string_view cbor) {
  return from_cbor<ListReply>(cbor);
}

Result<WaitingRecord> decode_waiting(std::string_view cbor) {
  return from_record<WaitingRecord>(cbor, {"boot_id"});
}
Result<GpuClaim> decode_claim(std::string_view cbor) {
  return from_record<GpuClaim>(cbor, {"run_id", "held", "suitable"});
}
Result<resources::MachineFacts> decode_resources(std::string_view cbor) {
  return from_cbor<resources::MachineFacts>(cbor);
}

Result<AnyRequest> decode_request(std::string_view cbor) {
  TRY_ASSIGN(const CborItem item, parse_cbor(cbor));
  Reader reader(item);
  const CborItem* operation = reader.find("op");
  if (operation == nullptr || !operation->text()) {
    return Error{Errc::Protocol, "message: a request without its operation", ""};
  }
  return decode_operation(*operation->text(), item);
}

Error decode_error(std::string_view cbor) {
  auto error = from_cbor<WireError>(cbor);
  if (!error) return error.error();
  return Error{errc_from_name(error->code), error->message, error->hint};
}

}  // namespace yonder::wire
