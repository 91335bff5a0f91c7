#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "base/base64.h"
#include "base/clean_text.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"
#include "config/config_store.h"
#include "ops/sync_json.h"
#include "ops/transfers.h"
#include "ops/worker_process.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr auto kBetweenNotes = std::chrono::milliseconds(500);
constexpr std::size_t kMostLogged = 1000;

// The file for whoever wants to know more than the row says.
class WorkerLog {
 public:
  explicit WorkerLog(Fd file) : file_(std::move(file)) {}

  void line(const std::string& text) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 32> stamp{};
    std::strftime(stamp.data(), stamp.size(), "%Y-%m-%dT%H:%M:%SZ ", &parts);
    // A full disk must not end the work.
    [[maybe_unused]] const auto written =
        write_all(file_, concat(stamp.data(), printable(text), "\n"));
  }

 private:
  Fd file_;
};

Result<SyncCall> call_of(const store::TransferNote& note) {
  TRY_ASSIGN(Json options, parse_json(note.options, "the options of the transfer"));
  // Whoever does not say that a person began it gets less.
  const Json by_agent = options.value("by_agent", Json());
  const Json packed = options.value("so_far", Json());
  for (const char* other : {"by_agent", "so_far", "forbidden"}) options.erase(other);
  const bool push = note.direction == "local_to_remote";
  TRY_ASSIGN(SyncCall call,
             parse_sync_call(options, push ? sync::Direction::Push : sync::Direction::Pull));
  call.sandbox = note.sandbox;
  call.what.local_path = note.local_path;
  call.what.remote_path = note.remote_path;
  call.by_agent = by_agent != Json(false);
  const auto bytes = packed.is_string() ? from_base64(packed.get<std::string>()) : std::nullopt;
  if (bytes) call.so_far = sync::unpack_so_far(*bytes);
  return call;
}

Result<GitSyncRequest> git_request_of(const store::TransferNote& note) {
  TRY_ASSIGN(Json options, parse_json(note.options, "the options of the transfer"));
  const bool by_agent = options.value("by_agent", Json()) != Json(false);
  options.erase("by_agent");
  const bool limited = options.contains("timeout_s");
  TRY_ASSIGN(GitSyncRequest request, parse_git_sync_request(options));
  request.by_agent = by_agent;
  request.local_path = note.local_path;
  request.remote_path = note.remote_path;
  request.wait.reset();
  if (!limited) request.timeout.reset();
  return request;
}

std::string plan_line(const sync::Counts& counts) {
  return concat("plan: ", counts.files(), counts.files() == 1 ? " file with " : " files with ",
                human_bytes(counts.bytes), " to send, ", counts.create_directories,
                " directories to make, ", counts.removals(), " entries to remove; ",
                counts.unchanged, " unchanged, ", counts.excluded, " excluded, ", counts.conflicts,
                " conflicts, ", counts.unreadable, " unreadable");
}

class Worker {
 public:
  Worker(Engine& engine, store::TransferNote note, WorkerLog& log, const CancelToken& cancel)
      : engine_(engine),
        note_(std::move(note)),
        log_(log),
        on_cancel_(cancel.on_cancel([this] { stop_.cancel(); })) {}

  int run();

 private:
  Result<sync::SyncReport> sync(const SyncCall& call);
  void show(const sync::Progress& progress);
  int end(const store::TransferEnd& end, int status);
  int end_with(const Error& error);
  int end_with(const SyncCall& call, sync::SyncReport report);
  int run_sync();
  int run_git_sync();
  void show(const std::string& text);

  Engine& engine_;
  const store::TransferNote note_;
  WorkerLog& log_;
  SyncMeter meter_;
  Instant noted_{};
  CancelSource stop_;
  CancelToken::Registration on_cancel_;
};

void Worker::show(const sync::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const SyncProgress read = meter_.read(progress, now);
  const bool due = progress.phase != sync::Phase::Copying || now - noted_ >= kBetweenNotes;
  if (!due) return;
  noted_ = now;
  Json json = to_json(read);
  const bool push = note_.direction == "local_to_remote";
  if (progress.phase == sync::Phase::Copying) json["phase"] = push ? "uploading" : "downloading";
  json[push ? "uploaded_files" : "downloaded_files"] = progress.files_done;
  const auto goes_on = engine_.store.transfer_goes_on(note_.id, dump_json(json), wall_clock_ms());
  // A store that cannot be written now is no reason to give up the work.
  if (goes_on && !*goes_on) stop_.cancel();
}

Result<sync::SyncReport> Worker::sync(const SyncCall& call) {
  TRY_ASSIGN(const SandboxSpec spec, engine_.config.find(call.sandbox));
  const sync::SyncHooks hooks{
      .cancel = stop_.token(),
      .before = call.so_far ? &*call.so_far : nullptr,
      .on_progress = [this](const sync::Progress& progress) { show(progress); },
      .on_plan = [this](const sync::Plan& plan) -> Result<void> {
        log_.line(plan_line(plan.counts));
        return {};
      },
      .on_note = [this](const std::string& note) { log_.line(note); }};
  TRY_ASSIGN(const auto setup, sync_setup(engine_, spec, call.by_agent));
  return sync::run_sync(setup, call.what, hooks);
}

int Worker::end(const store::TransferEnd& end, int status) {
  const auto written = engine_.store.end_transfer(note_.id, end);
  if (!written) log_.line(concat("the end could not be noted: ", written.error().message));
  return written ? status : 1;
}

int Worker::end_with(const Error& error) {
  const bool cancelled = error.code == Errc::Cancelled;
  log_.line(concat(cancelled ? "cancelled: " : "failed: ", error.message,
                   error.hint.empty() || cancelled ? "" : concat(" (", error.hint, ")")));
  return end({.status = cancelled ? "cancelled" : "failed",
              .error = cancelled ? "" : dump_json(error_json(error)["error"]),
              .at_ms = wall_clock_ms()},
             cancelled ? 0 : 1);
}

int Worker::end_with(const SyncCall& call, sync::SyncReport report) {
  std::size_t logged = 0;
  for (const auto& failed : report.failed) {
    if (logged++ == kMostLogged) break;
    log_.line(concat("failed ", failed.over_there ? "over there: " : "here: ", failed.path, ": ",
                     failed.message));
  }
  for (const auto& warning : report.warnings) log_.line(concat("warning: ", warning));
  log_.line(concat(report.complete() ? "complete: " : "incomplete: ", report.files_sent,
                   " files sent, ", human_bytes(report.bytes_sent), ", ", report.failed.size(),
                   " failed, ", report.plan.counts.conflicts, " conflicts"));
  const SyncResponse response{
      .sandbox = call.sandbox,
      .asked = call.what,
      .report = std::move(report),
      .transfer = TransferStarted{
          .id = note_.id, .pid = ::getpid(), .log_file = transfer_log(engine_, note_.id)}};
  return end(
      {.status = "completed", .result = dump_json(to_json(response)), .at_ms = wall_clock_ms()}, 0);
}

// Of a git checkout there are only words.
void Worker::show(const std::string& text) {
  log_.line(text);
  Json json = to_json(SyncProgress{});
  json["phase"] = "uploading";
  json["text"] = text;
  const auto goes_on = engine_.store.transfer_goes_on(note_.id, dump_json(json), wall_clock_ms());
  if (goes_on && !*goes_on) stop_.cancel();
}

int Worker::run_git_sync() {
  const auto request = git_request_of(note_);
  if (!request) return end_with(request.error());
  log_.line(concat("transfer ", note_.id, ", ", note_.direction, ": ", request->commit, " of ",
                   note_.local_path, " -> ", note_.sandbox, ":", note_.remote_path));
  Session session;
  CallContext context{.session = session,
                      .cancel = stop_.token(),
                      .progress = [this](const std::string& text) { show(text); }};
  const auto response = git_sync(engine_, context, *request);
  if (!response) return end_with(response.error());
  for (const auto& warning : response->warnings) log_.line(concat("warning: ", warning));
  log_.line(concat(response->status, ": ", response->new_commit));
  Json result = to_json(*response);
  result["complete"] = true;
  return end({.status = "completed", .result = dump_json(result), .at_ms = wall_clock_ms()}, 0);
}

int Worker::run() {
  return note_.direction == kGitSync ? run_git_sync() : run_sync();
}

int Worker::run_sync() {
  const auto call = call_of(note_);
  if (!call) return end_with(call.error());
  log_.line(concat("transfer ", note_.id, ", ", note_.direction, ": ", note_.local_path,
                   call->what.direction == sync::Direction::Push ? " -> " : " <- ", note_.sandbox,
                   ":", note_.remote_path));
  auto report = sync(*call);
  if (!report) return end_with(report.error());
  return end_with(*call, *std::move(report));
}

}  // namespace

int work_on_transfer(Engine& engine, std::int64_t id, const CancelToken& cancel) {
  auto file = open_file(transfer_log(engine, id), O_WRONLY | O_CREAT | O_APPEND);
  if (!file) return 1;
  WorkerLog log(*std::move(file));
  const auto self = worker_key(::getpid());
  const auto note = engine.store.find_transfer(id);
  if (!note || !*note || !self) {
    log.line(note ? "there is no such transfer" : note.error().message);
    return 2;
  }
  const auto claimed = engine.store.claim_transfer(id, *self, wall_clock_ms());
  if (!claimed) {
    log.line(claimed.error().message);
    return 1;
  }
  if (!*claimed) {
    const auto now = engine.store.find_transfer(id);
    const bool cancelled = now && *now && (*now)->cancel_requested;
    if (!cancelled) return 0;  // somebody else has it
    log.line("cancelled before it began");
    const auto ended =
        engine.store.end_transfer(id, {.status = "cancelled", .at_ms = wall_clock_ms()});
    return ended ? 0 : 1;
  }
  return Worker(engine, **note, log, cancel).run();
}

}  // namespace yonder::ops
